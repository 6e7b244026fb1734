package main

import (
	"fmt"
	"sync"
)

func main() {
	squares := make([]int, 10)
	var done sync.WaitGroup
	for index := range squares {
		done.Add(1)
		go func(at int) {
			defer done.Done()
			squares[at] = at * at
		}(index)
	}
	done.Wait()
	fmt.Println(squares)
}
