// Package transports makes messages of a provider of models from receipts, and calls of
// tools from its streams. It has no state, calls nobody, and the same input gives the same
// bytes. Source: "Native Tool Result Format" and the RFC's "Provider Transport Contract".
//
// To read it: dialect.go says in what providers differ, message.go what is the same for
// all, and object.go how their JSON stays as it came. A provider has a file with its
// dialect (openai_chat.go, anthropic.go, ...), in one of the shapes of flat.go and
// blocks.go or one of its own, and a file that reads its stream.
//
//   - turn.go encodes a turn, with identity.go for ids and names, check.go for what is
//     refused, text.go and markup.go for models without native calls.
//   - lint.go finds what a provider would refuse, by the pairs of calls and results of
//     pairing.go, and repair.go mends it.
//   - assembler.go reads a stream, cut into events by framing.go, into answer.go, whose
//     texts joined.go puts together; leaks.go and notice.go say what is wrong with it.
package transports
