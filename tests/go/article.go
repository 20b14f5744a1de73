// SPDX-License-Identifier: MIT

// A load generator of the shape that published measurements have: goroutines, each of which starts its own
// program with os/exec and waits for its end, again and again. Written for the tests, as something to compare with.
//
// Usage: article SECONDS PROGRAM...      (one goroutine a program)
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// launch starts program until the deadline; it returns how often it ran to its end.
func launch(program string, deadline time.Time) (n int, err error) {
	for time.Now().Before(deadline) {
		if err = exec.Command(program).Run(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: article SECONDS PROGRAM...")
		os.Exit(2)
	}
	seconds, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, "article:", err)
		os.Exit(2)
	}
	var (
		wait  sync.WaitGroup
		mutex sync.Mutex
		total int
	)
	begin := time.Now()
	deadline := begin.Add(time.Duration(seconds * float64(time.Second)))
	for _, program := range os.Args[2:] {
		wait.Add(1)
		go func(program string) {
			defer wait.Done()
			n, err := launch(program, deadline)
			mutex.Lock()
			defer mutex.Unlock()
			total += n
			if err != nil {
				fmt.Fprintln(os.Stderr, "article:", err)
				os.Exit(1)
			}
		}(program)
	}
	wait.Wait()
	fmt.Printf("%.1f\n", float64(total)/time.Since(begin).Seconds())
}
