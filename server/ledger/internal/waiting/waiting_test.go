package waiting

import "testing"

func TestRoom(t *testing.T) {
	t.Parallel()
	var room Room[string]
	room.Wake("a") // nobody
	first, leaveFirst := room.Join("a")
	second, leaveSecond := room.Join("a")
	other, leaveOther := room.Join("b")
	room.Wake("a")
	room.Wake("a")
	for i, changed := range []<-chan struct{}{first, second} {
		<-changed
		select {
		case <-changed:
			t.Errorf("waiter %d is told twice", i)
		default:
		}
	}
	leaveFirst()
	room.Wake("a")
	<-second
	for _, changed := range []<-chan struct{}{first, other} {
		select {
		case <-changed:
			t.Error("told who left, or waits for something else")
		default:
		}
	}
	leaveSecond()
	leaveOther()
	if len(room.waiters) != 0 {
		t.Errorf("%d are left", len(room.waiters))
	}
}
