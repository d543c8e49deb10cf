package sqlitedb_test

import (
	"errors"
	"fmt"

	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// An attempt that fails is undone; the rest of its transaction is committed.
func Example() {
	db, err := sqlitedb.Open(sqlitedb.Options{Schema: "CREATE TABLE notes (text TEXT)", Version: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	insert := func(text string) error { return db.Run("INSERT INTO notes VALUES (?)", text) }
	err = db.Transaction(func() error {
		failed := db.Attempt(func() error { return errors.Join(insert("undone"), errors.New("changed my mind")) })
		fmt.Println(failed)
		return insert("kept")
	})
	fmt.Println(err)
	var text string
	found, err := db.Row("SELECT text FROM notes", nil, &text)
	fmt.Println(found, text, err)
	// Output:
	// changed my mind
	// <nil>
	// true kept <nil>
}
