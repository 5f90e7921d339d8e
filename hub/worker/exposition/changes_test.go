package exposition

import (
	"fmt"
	"slices"
	"testing"
)

func exposed(families ...string) string {
	var t Text
	for i := 0; i < len(families); i += 2 {
		t.Gauge(families[i], "Helps.").Add(float64(len(families[i+1])), "x", families[i+1])
	}
	return t.String()
}

func TestOnlyWhatChangedIsTold(t *testing.T) {
	var c Changes
	first := exposed("a", "1", "b", "1", "c", "1")
	if tell, changes, ended := c.Next(first); tell != first || changes || ended != nil {
		t.Errorf("the first: %q %v %v", tell, changes, ended)
	}
	if tell, changes, ended := c.Next(first); tell != "" || !changes || ended != nil {
		t.Errorf("the same again: %q %v %v", tell, changes, ended)
	}
	if tell, changes, ended := c.Next(exposed("b", "2", "d", "1")); tell != exposed("b", "2", "d", "1") || !changes || !slices.Equal(ended, []string{"a", "c"}) {
		t.Errorf("two ended, one changed, one is new: %q %v %v", tell, changes, ended)
	}
	c.Lost()
	if tell, changes, _ := c.Next(first); tell != first || changes {
		t.Errorf("after a loss: %q %v", tell, changes)
	}
}

func TestEveryTenthIsWhole(t *testing.T) {
	var c Changes
	var whole []int
	for i := range 21 {
		if _, changes, _ := c.Next(exposed("a", fmt.Sprint(i))); !changes {
			whole = append(whole, i)
		}
	}
	if !slices.Equal(whole, []int{0, 10, 20}) {
		t.Errorf("whole are %v", whole)
	}
}
