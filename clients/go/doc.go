// Package toolresult is the client of the tool-result sidecar. It hands over what a tool printed, and gets the receipt that a
// model reads:
//
//	client, err := toolresult.Connect(ctx, toolresult.WithStart())
//	...
//	result, err := client.ProjectText(ctx, "search", text)
//	fmt.Println(result.Receipt)
//
// [Connect] finds the sidecar of this user, and starts one with [WithStart]. Calls have deadlines, and are made again when the
// sidecar was away, both by proto/service_config.json; a request id makes that safe. What the sidecar rejects is an [*Error], whose
// reason errors.Is finds, such as [ErrBudgetTooSmall]. The generated clients beneath are in [Stubs].
//
// A [Client] is safe for concurrent use. A [Stream] is not.
package toolresult
