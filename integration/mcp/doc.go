// Package mcp tests `toolresult mcp` between real clients and servers of MCP: those of the official Go SDK, and the servers that npm
// has. It is a module of its own, so that the SDK reaches no user of the client package.
package mcp
