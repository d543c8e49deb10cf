// Command agentloop is the loop of an agent runtime that leaves everything about tool
// results to the sidecar. docs/transports.md walks through it.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"google.golang.org/grpc"

	toolresult "github.com/toolresult/toolresult/clients/go"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// provider is whose messages and streams these are.
const provider = pb.Provider_PROVIDER_OPENAI_CHAT

// loop is one session of an agent.
type loop struct {
	pb.ToolResultServiceClient
	pb.TransportServiceClient
	endpoint, model string
	format          pb.ToolCallFormat
	files           *os.Root // where commands run and files are written
	session         string   // to which artifacts belong
	budget          uint     // what the receipts may cost together, in tokens

	opening []string // the messages before the first turn
	turns   []*turn
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("agentloop: ")
	l := &loop{session: fmt.Sprintf("agentloop-%d", time.Now().UnixNano())}
	server := flag.String("server", "", "the sidecar: unix:///PATH or HOST:PORT; empty: the one that is found")
	flag.StringVar(&l.endpoint, "endpoint", "", "URL of a model, such as http://127.0.0.1:8000/v1/chat/completions")
	flag.StringVar(&l.model, "model", "default", "name of the model, for the endpoint")
	format := flag.String("format", "native", "how calls are told: native or text")
	dir := flag.String("dir", ".", "where commands run and files are written")
	task := flag.String("task", "", "the first message of the user")
	steps := flag.Int("max-steps", 100, "how often the model is asked at most")
	flag.UintVar(&l.budget, "budget", 40_000, "what the receipts may cost together, in tokens")
	flag.Parse()

	if *format == "text" {
		l.format = pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT
	} else if *format != "native" {
		log.Fatalf("--format %s: native or text", *format)
	}
	l.opening = l.openingWith(*task)
	var err error
	if l.files, err = os.OpenRoot(*dir); err != nil {
		log.Fatal(err)
	}
	// A loop rather waits for a sidecar that starts again than ends. A call whose sidecar was killed is made again.
	wait := grpc.WithDefaultCallOptions(grpc.WaitForReady(true))
	client, err := toolresult.Connect(context.Background(), toolresult.WithAddress(*server), toolresult.WithDialOptions(wait))
	if err != nil {
		log.Fatal(err)
	}
	l.ToolResultServiceClient, l.TransportServiceClient = client.Results, client.Transport
	if err := l.run(context.Background(), *steps); err != nil {
		log.Fatal(err)
	}
}

// run asks the model again and again, until it makes no call.
func (l *loop) run(ctx context.Context, steps int) error {
	for step := 1; step <= steps; step++ {
		answer, err := l.ask(ctx)
		if err != nil {
			return err
		}
		t := &turn{assistant: answer.GetAssistant()}
		if answer.GetNotice() != "" {
			t.notices = append(t.notices, answer.GetNotice())
		}
		if len(t.assistant.GetToolCalls()) == 0 && len(t.notices) == 0 {
			fmt.Println(t.assistant.GetContent())
			return nil
		}
		l.turns = append(l.turns, t)
		if err := l.project(ctx, t, l.execute(ctx, answer)); err != nil {
			return err
		}
		if err := l.encode(ctx, t); err != nil {
			return err
		}
		compacted, err := l.fit(ctx)
		if err != nil {
			return err
		}
		if err := l.lint(ctx); err != nil {
			return err
		}
		fmt.Printf("step %d: %d calls, %d tokens of receipts, %d bytes of transcript%s\n",
			step, len(t.assistant.GetToolCalls()), l.tokens(), len(l.transcript()), compacted)
	}
	return fmt.Errorf("the model came to no end in %d steps", steps)
}
