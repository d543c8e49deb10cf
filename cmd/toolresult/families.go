package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/toolresult/toolresult/server/families"
)

// familiesCommand returns `families`. It needs no sidecar: the families of a descriptor set are read and checked as `serve
// --families` does at its start, so that a mistake is found before a sidecar does not come up. Names and budgets are those
// that requests and policies use.
func familiesCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "families [DESCRIPTOR-SET...]", Short: "List the built-in families; check and list your own",
		Long: "List the built-in families and those of descriptor sets, with the default budget of each in tokens.\n" +
			"A family that breaks a convention is named, with what is wrong: use it as a check before `serve --families`.",
		RunE: func(cmd *cobra.Command, paths []string) error {
			custom, err := families.LoadCustomFamilies(paths...)
			if err != nil {
				return err
			}
			list := append(families.BuiltIn(), custom...)
			// The registry finds what one family cannot show: two of the same name, or a half without the other.
			if _, err := families.NewRegistry(list...); err != nil {
				return err
			}
			if output == formJSON {
				return printValue(cmd.OutOrStdout(), listFamilies(list))
			}
			// Name, default budget in tokens, and origin: three columns for people, and for cut and awk.
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
			for _, f := range listFamilies(list).Families {
				fmt.Fprintf(table, "%s\t%d\t%s\n", f.Name, f.Tokens, f.Origin)
			}
			return table.Flush()
		},
	}
	textOrJSON(cmd.Flags(), &output)
	return cmd
}

// familyList is what `families --output json` prints.
type familyList struct {
	Families []familyEntry `json:"families"`
}

// familyEntry is a family of a familyList.
type familyEntry struct {
	Name   string `json:"name"`   // as requests have it
	Tokens int    `json:"tokens"` // the default budget of a receipt
	Origin string `json:"origin"` // "built in", or "yours"
}

// listFamilies returns what is printed of families, in their order.
func listFamilies(list []families.Family) familyList {
	printed := familyList{Families: []familyEntry{}}
	for _, f := range list {
		origin := "built in"
		if f.Type != nil {
			origin = "yours"
		}
		printed.Families = append(printed.Families, familyEntry{f.Name, int(f.Tokens), origin})
	}
	return printed
}
