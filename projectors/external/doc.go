// Package external reads what external tools answer: results of MCP tools, and
// the base64 that tools put into text and JSON.
//
// It knows JSON and nothing of budgets, previews or stores. The projectors decide
// what becomes of what was read.
package external
