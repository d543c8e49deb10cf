package markup

// Row is the control markup that templates and parsers of some models have.
type Row struct {
	Models string
	Forms  []string
	Exact  bool   // upper and lower case differ, because the form in another case is ordinary text
	Source string // where the forms are from
}

// Sources of several rows.
const (
	llamaCPP  = "llama.cpp, `src/llama-chat.cpp`"
	vllm      = "vLLM, `tool_parsers` and `reasoning`"
	tokenizer = "their tokenizer configurations"
)

// Table returns the control markup that is broken. A form that begins with two line ends is one behind an empty line or at
// the beginning of a text, and one that ends with a colon and has no bracket is one at the beginning of a line. All others
// are forms anywhere. A form that ends with a letter ends with a word.
func Table() []Row {
	return []Row{
		{Models: "ours; Hermes, Qwen, GLM", Source: "Native Tool Result Format; " + vllm, Forms: []string{
			"<tool_result", "</tool_result", "<tool_results", "</tool_results", "<tool_call", "</tool_call", "<tool_calls", "</tool_calls",
			"<tool_response", "</tool_response", "<tool_responses", "</tool_responses",
		}},
		{Models: "any", Source: llamaCPP + ": Phi, Zephyr, Falcon and others take any role", Forms: []string{"<|NAME|>"}},
		{Models: "ChatML: Qwen, Yi, Phi-4, Kimi", Source: llamaCPP, Forms: []string{
			"<|im_start|>", "<|im_end|>", "<|im_sep|>", "<|im_user|>", "<|im_assistant|>", "<|im_system|>", "<|im_middle|>", "<|endoftext|>",
		}},
		{Models: "Llama 3 and 4", Source: llamaCPP + "; " + tokenizer, Forms: []string{
			"<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|header_start|>", "<|header_end|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>",
			"<|python_tag|>",
		}},
		{Models: "Phi-3, Phi-4-mini, Zephyr, GLM, Falcon, OLMo", Source: llamaCPP + "; " + tokenizer, Forms: []string{
			"<|system|>", "<|user|>", "<|assistant|>", "<|observation|>", "<|end|>", "<|tool|>", "<|/tool|>", "<|tool_call|>", "<|/tool_call|>", "<|tool_response|>",
		}},
		{Models: "gpt-oss", Source: "OpenAI harmony response format", Forms: []string{
			"<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<|return|>", "<|call|>",
		}},
		{Models: "Command R", Source: llamaCPP + "; " + tokenizer, Forms: []string{
			"<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|USER_TOKEN|>", "<|SYSTEM_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|START_ACTION|>", "<|END_ACTION|>",
			"<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>", "<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>",
		}},
		{Models: "Granite, Megrez, GigaChat", Source: llamaCPP, Forms: []string{
			"<|start_of_role|>", "<|end_of_role|>", "<|role_start|>", "<|role_end|>", "<|turn_end|>", "<|role_sep|>", "<|message_sep|>",
		}},
		{Models: "InternLM, OpenChat, DeepSeek Coder", Source: llamaCPP + "; " + vllm, Forms: []string{
			"<|action_start|>", "<|action_end|>", "<|interpreter|>", "<|plugin|>", "<|end_of_turn|>", "<|EOT|>",
		}},
		{Models: "Kimi K2", Source: vllm, Forms: []string{
			"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>", "<|tool_call_end|>", "<|tool_call_argument_begin|>",
		}},
		{Models: "DeepSeek V3 and R1", Source: llamaCPP + "; " + vllm, Forms: []string{
			"<｜User｜>", "<｜Assistant｜>", "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>",
			"<｜tool▁call▁end｜>", "<｜tool▁sep｜>", "<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>", "<｜DSML｜", "</｜DSML｜",
		}},
		{Models: "Gemma 1 to 3, FunctionGemma", Source: llamaCPP + "; " + tokenizer, Forms: []string{"<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<start_function_call>", "<end_function_call>"}},
		{Models: "Gemma 4", Source: "Gemma 4 Prompt Formatting", Forms: []string{
			"<|turn>", "<turn|>", "<|tool>", "<tool|>", "<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>", "<|channel>", "<channel|>", "<|think|>",
			`<|"|>`, "<|image>", "<image|>", "<|audio>", "<audio|>",
		}},
		{Models: "Llama 2, Mistral", Source: llamaCPP + "; " + tokenizer, Forms: []string{
			"<s>", "</s>", "<<SYS>>", "<</SYS>>", "[INST]", "[/INST]", "[TOOL_CALLS]", "[/TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]",
			"[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]", "[/TOOL_CONTENT]",
		}},
		{Models: "Mistral", Exact: true, Source: tokenizer, Forms: []string{"[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]"}},
		{Models: "GLM", Source: tokenizer, Forms: []string{
			"[gMASK]", "[sMASK]", "<sop>", "<eop>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>",
		}},
		{Models: "EXAONE", Source: llamaCPP, Forms: []string{"[|system|]", "[|user|]", "[|assistant|]", "[|tool|]", "[|endofturn|]"}},
		{Models: "reasoning: Qwen 3, DeepSeek R1, GLM, MiniMax, Hermes", Source: vllm, Forms: []string{
			"<think>", "</think>", "<thinking>", "</thinking>", "<scratch_pad>", "</scratch_pad>",
		}},
		{Models: "MiniMax, Seed-OSS", Source: vllm, Forms: []string{
			"<minimax:tool_call>", "</minimax:tool_call>", "<seed:tool_call>", "</seed:tool_call>", "<seed:think>", "</seed:think>", "<seed:bos>", "<seed:eos>",
		}},
		{Models: "Claude, OLMo 3, Qwen 3 Coder, Llama 3.1, Functionary", Source: vllm + "; the prompts of Claude before native calls", Forms: []string{
			"<function_calls>", "</function_calls>", "<function_results>", "</function_results>", "<invoke name=", "</invoke>", "<function=", "</function>", "<parameter=",
		}},
		{Models: "Claude", Source: "the prompts of Claude before native calls, with their namespace", Forms: []string{
			"<antml:function_calls>", "</antml:function_calls>", "<antml:invoke name=", "</antml:invoke>", "<antml:parameter name=", "</antml:parameter>",
		}},
		{Models: "Hermes, Nemotron", Source: vllm + "; " + tokenizer, Forms: []string{
			"<tools>", "</tools>", "<TOOLCALL>", "</TOOLCALL>", "<AVAILABLE_TOOLS>", "</AVAILABLE_TOOLS>", "<extra_id_0>", "<extra_id_1>", "<SPECIAL_10>", "<SPECIAL_11>",
			"<SPECIAL_12>",
		}},
		{Models: "MiniCPM, Ling, SmolVLM", Source: llamaCPP, Forms: []string{"<用户>", "<AI>", "<role>HUMAN</role>", "<role>SYSTEM</role>", "<role>ASSISTANT</role>", "<role>OBSERVATION</role>", "<end_of_utterance>"}},
		{Models: "Claude before messages, Orion, RWKV, DeepSeek V2", Source: llamaCPP + "; the prompts of Claude before messages", Forms: []string{
			"\n\nHuman:", "\n\nAssistant:", "\n\nUser:", "\n\nSystem:",
		}},
		{Models: "YandexGPT", Source: llamaCPP, Forms: []string{"\n\nПользователь:", "\n\nАссистент:"}},
		{Models: "Alpaca, DeepSeek Coder, SOLAR, OpenChat", Source: llamaCPP + "; the prompts of Alpaca and SOLAR", Forms: []string{
			"### Instruction:", "### Response:", "### Input:", "### Human:", "### User:", "### Assistant:", "### System:", "GPT4 Correct User:", "GPT4 Correct Assistant:",
		}},
		{Models: "Vicuna, Orca", Exact: true, Source: llamaCPP, Forms: []string{"USER:", "ASSISTANT:", "SYSTEM:"}},
	}
}
