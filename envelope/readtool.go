package envelope

// ReadTool is the name of the tool that a model can be given to read what a receipt does not show. Its results are pages,
// which are never cut again.
const ReadTool = "read_result"
