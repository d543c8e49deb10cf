package tokens_test

import "strings"

// hardTexts are where counters go wrong.
func hardTexts() []string {
	texts := []string{
		// Ordinary output.
		"hello world", "Process exited with code 0\n", "error[E0308]: mismatched types", "\t\tif err != nil {\n\t\t\treturn err\n\t\t}\n",
		"HTTPServer.handleRequest(ctx)", "--- FAIL: TestX (0.00s)\n    x_test.go:12: got 1, want 2\n", "{\"a\": [1, 2.5, null], \"b\":\"c\"}\n",
		"-rw-r--r-- 1 root root   12345 Nov 21 20:11 file_name.txt\n", "@@ -1,7 +1,9 @@ func main() {\n-\tx := 1\n+\tx := 2\n \n",
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "2026-11-21T20:11:05.123456Z INFO  main: started",
		"https://example.org/a/b?c=d&e=%20f#g", "C:\\Users\\me\\AppData\\Local\\Temp\\x.log", "/usr/lib/x86_64-linux-gnu/libc.so.6",
		"|  id | name |\n|-----|------|\n|   1 | x    |\n", "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA==", "aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ",
		// Contractions, and what looks like them.
		"don't", "DON'T", "don'T", "I'll I'LL I'Ll I'lL", "we're WE'RE we'Re", "I've I'VE", "I'm I'M", "he'd HE'D", "'s", "'step", "'Step",
		"x'step", "x's'step", "''s", "x''s", "rock'n'roll", "'tis", "'re", "'r", "'l", "'v", "' s", "it's's", "l'été", "don’t", "x'\u212a", "1's", "\u0301's",
		"'ll", "'LLama", "'Very", "a'", "'", "''", "A'B'C", "中's", "ABC's", "Abc'S",
		// Capitals and small letters, letters without case, marks.
		"camelCase", "CamelCASE", "CAMELcase", "aB", "AB", "Ab", "aBC", "ABc", "ÀÉÎ", "ÀéÎ", "straße", "STRASSE", "ǅungla", "aǅ", "ʰaʰA", "ªAª",
		"ABC中", "ABC中DEF", "中ABC", "中Abc", "abc中DEF", "中文文件已保存", "日本語のテキスト", "한국어 텍스트", "привет, МИР Мир", "Ελληνικά", "עברית",
		"العربية ٣٤٥", "हिन्दी में", "ภาษาไทย", "e\u0301A\u0301", "\u0301", "\u0301A", "\u0301ABc", "\u0301ABC", " \u0301x", "(\u0301x", "((\u0301x", "\u0301\u0302\u0303",
		"A\u0301\u0302B", "AB\u0301CD", "AB\u0301Cd", "\n\u0301a", "x\u200dy", "\u200d\u200d", "İstanbul", "K", "ſt", "ﬁx", "ﬅ",
		// Numbers.
		"1", "12", "123", "1234", "1234567890", "3.14159", "0x1F", "1²³", "²³", "12²4", "Ⅷ", "ⅧⅧⅧⅧ", "٣٤٥٦", "1٣4٥", "½", "𝟘𝟙𝟚𝟛", "1a2b", " 1", "  1", "\n1",
		// White space.
		" ", "  ", "   ", "\t", "\t\t", " \t", "\n", "\n\n", "\n\n\n", "\r\n", "\r", "\r\r\n", "\n \n", "\n  \n", " \n", "  \n", " \n ", "\n ", "\n  ", "\n\n   b", "a \n b",
		"x  \ny", "x \t \n\t y", "+\n \n-\n", "a\n\n\nb", "a  b", "a   b", "a\tb", "a\t\tb", "a \tb", "\u00a0a", "a\u00a0\u00a0b", "\u2028", "\u2028\n", "a\u3000b", "\u3000\u3000b",
		"\u0085", "a\u0085b", "\v\f", "\u1680x", "\u180ex", "\ufeffx", "  (", " (", "  ((", "\t(", "\n(", " \n(", "   ", "a   ", "a \n   ", "a\n\t\t", "\u2003 \u2003x",
		// Marks, and what follows them.
		"(foo", "((foo", " (foo", "});\n", "});\n\n", "};\r\n\r\n", "!/\n/\n", "//\n//\n", "/\n/a", "a/b", "a//b", "://", "...", "…", "--", "-->", "=== RUN", "****",
		"─", "──────┐", "│ │", "✓ ok", "✗", "🚀", "🚀 done", "🚀🚀🚀", "👩‍👩‍👧", "🇩🇪", "☺️", "\x00", "\x00\x00", "\x00\x00\x00", "a\x00b", "\x1b[0m", "\x1b[1;31merror\x1b[0m", "\x7f",
		"\ufffd", "\ufffd\ufffd\ufffd", "a\ufffdb", "\U00020000\U0002a6d6", "\U0001d400\U0001d41a", "\U000e0041", "\ue000", "\U0010ffff",
		// Special tokens are text.
		"<|endoftext|>", "a<|endofprompt|>b", "<|fim_prefix|><|fim_middle|><|fim_suffix|>", "<|im_start|>system\n",
	}
	for _, unit := range []string{"a", "A", "-", "=", "*", "#", "_", ".", " ", "\t", "\n", "\r\n", " \n", "\t\n", "中", "🚀", "─", "é", "я", "ab", "0", "\x00", "'s", "/", "\u00a0", "\u0301"} {
		for _, n := range []int{7, 16, 33, 100} {
			texts = append(texts, strings.Repeat(unit, n))
		}
	}
	return texts
}
