package projectors

// ReadHTML is the conversion of a page.
var ReadHTML = readHTML
