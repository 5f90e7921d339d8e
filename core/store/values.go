package store

import (
	"database/sql/driver"
	"reflect"
)

// values are args as every database takes them: whole numbers, texts and bytes. A truth value is 0
// or 1, because columns hold those.
func (tx *Tx) values(args []any) []any {
	values := make([]any, len(args))
	for i, arg := range args {
		values[i] = tx.value(arg)
	}
	return values
}

func (tx *Tx) value(arg any) any {
	switch v := arg.(type) {
	case nil, int64, []byte:
		return arg
	case string:
		return tx.text(v)
	case bool:
		return int64(number(v))
	case driver.Valuer:
		value, err := v.Value()
		if err != nil {
			return arg // the driver asks again, and tells the error
		}
		return value
	}
	switch v := reflect.ValueOf(arg); v.Kind() {
	case reflect.String:
		return tx.text(v.String())
	case reflect.Bool:
		return int64(number(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return int64(v.Uint())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Bytes()
		}
	}
	return arg
}

func (tx *Tx) text(s string) string {
	if tx.dialect.Text == nil {
		return s
	}
	return tx.dialect.Text(s)
}
