package charset

import (
	"bytes"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"
)

var (
	littleEndian = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	noMark       = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	bigEndian    = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
)

// texts are what programs print in their languages.
var texts = []struct {
	encoding encoding.Encoding
	name     string
	text     string
}{
	{littleEndian, "utf-16le", "Error: not found"},
	{littleEndian, "utf-16le", "系统找不到指定的路径。\r\n"},
	{noMark, "utf-16le", "  NAME      STATE           VERSION\r\n* Ubuntu    Running         2\r\n"},
	{noMark, "utf-16le", "适用于 Linux 的 Windows 子系统没有已安装的分发版。\r\nhttps://aka.ms/wslstore\r\n"},
	{bigEndian, "utf-16be", "Access is denied.\r\n"},
	{simplifiedchinese.GBK, "gb18030", "系统找不到指定的路径。\r\n"},
	{simplifiedchinese.GBK, "gb18030", "拒绝访问。\r\n"},
	{simplifiedchinese.GBK, "gb18030", "main.c(12): error C2065: “x”: 未声明的标识符\r\n生成失败。\r\n"},
	{japanese.ShiftJIS, "shift_jis", "指定されたファイルが見つかりません。\r\n"},
	{japanese.ShiftJIS, "shift_jis", "main.c(12): error C2065: 'x': 定義されていない識別子です。\r\n"},
	{japanese.EUCJP, "euc-jp", "そのようなファイルやディレクトリはありません\n"},
	{korean.EUCKR, "euc-kr", "지정된 파일을 찾을 수 없습니다.\r\n"},
	{traditionalchinese.Big5, "big5", "系統找不到指定的檔案。請檢查路徑是否正確，然後再試一次。\r\n"},
	{charmap.Windows1252, "windows-1252", "Accès refusé.\r\nLe fichier spécifié est introuvable.\r\n"},
	{charmap.Windows1252, "windows-1252", "Zugriff verweigert: Datei für Übersicht nicht verfügbar\r\n"},
	{charmap.CodePage850, "ibm850", "Das System kann den angegebenen Pfad für die Übersicht nicht öffnen.\r\n"},
	{charmap.Windows1251, "windows-1251", "Отказано в доступе. Не удается найти указанный файл.\r\n"},
	{charmap.CodePage866, "ibm866", "Не удается найти указанный файл. Отказано в доступе.\r\n"},
	{charmap.KOI8R, "koi8-r", "Нет такого файла или каталога: настройки программы\n"},
}

// Text in an encoding is read as it was written, alone and among lines of ASCII.
func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range texts {
		for _, around := range []string{"", "building shop 1.2.3\r\ndone in 3 s\r\n"} {
			want := around + c.text + around
			payload, err := c.encoding.NewEncoder().Bytes([]byte(want))
			if err != nil {
				t.Fatal(err)
			}
			text, name := Decode(payload)
			if name != c.name || string(text) != want {
				t.Errorf("%s: %q is read as %q: %q", c.name, want, name, text)
			}
		}
	}
}

// A script that calls programs of Windows prints both.
func TestDecodeMixed(t *testing.T) {
	t.Parallel()
	inner := "  NAME      STATE\r\n* Ubuntu    Running für immer\r\n"
	wide, err := noMark.NewEncoder().String(inner)
	if err != nil {
		t.Fatal(err)
	}
	if text, name := Decode([]byte("$ wsl -l -v\n" + wide + "$ echo fertig für heute\n")); name != "utf-16le" || string(text) != "$ wsl -l -v\n"+inner+"$ echo fertig für heute\n" {
		t.Errorf("%s: %q", name, text)
	}
}

// What is not certain stays as it is.
func TestUncertain(t *testing.T) {
	t.Parallel()
	polish, err := charmap.Windows1250.NewEncoder().String("Odmowa dostępu. Nie można odnaleźć określonego pliku, błąd ścieżki.\r\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty": "", "ASCII": "all is well\n", "UTF-8": "Zugriff für alle: 系统\n", "damaged UTF-8": "für alle Übersichten \xff und mehr\n",
		"NULs": "a\x00\x00\x00b\x00\x00\x00", "an image": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00", "NUL ended": "one\x00two\x00three\x00four\x00",
		"windows-1250": polish, "lone bytes": "\xff \xfe \xfd\n", "a pair": "x \xb0\xa1 y\n", "numbers": "\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00",
	} {
		if got, encoding := Decode([]byte(text)); encoding != "" {
			t.Errorf("%s is read as %s: %q", name, encoding, got)
		}
	}
}

// Valid UTF-8 is never decoded unless it is UTF-16, and decoding is deterministic and bounded.
func TestDecodeAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		payload := rapid.SliceOf(rapid.Byte()).Draw(t, "payload")
		text, name := Decode(payload)
		again, _ := Decode(payload)
		if !bytes.Equal(text, again) || len(text) > 3*len(payload) {
			t.Fatalf("%s: %d bytes of %d", name, len(text), len(payload))
		}
		valid := []byte(rapid.StringMatching(`[a-zäé系\n ]*`).Draw(t, "valid"))
		if _, name := Decode(valid); name != "" {
			t.Fatalf("%q is read as %s", valid, name)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, c := range texts {
		payload, _ := c.encoding.NewEncoder().Bytes([]byte(c.text))
		f.Add(payload)
	}
	f.Fuzz(func(_ *testing.T, payload []byte) { Decode(payload) })
}
