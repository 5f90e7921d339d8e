// Command app is the program that the demo stacks run: a small web server that shows
// what it was deployed with. It is static, so that its image needs no base.
//
// It serves the folder /site when there is one, shows /greeting.txt, and says for each
// variable named in SHOW whether it arrived; values of those named in HIDE are not shown.
// "app health" asks the running server how it is, for the health check.
package main

import (
	"crypto/sha256"
	"fmt"
	"html"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

const address = ":8080"

func main() {
	if len(os.Args) > 1 && os.Args[1] == "health" {
		os.Exit(health())
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("GET /site/", http.StripPrefix("/site/", http.FileServer(http.Dir("/site"))))
	mux.HandleFunc("GET /{$}", page)
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-stop
		server.Close()
	}()
	fmt.Println("demo app listens on", address)
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("demo app ends")
}

func health() int {
	client := &http.Client{Timeout: 2 * time.Second}
	answer, err := client.Get("http://127.0.0.1" + address + "/healthz")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return 1
	}
	return 0
}

func page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<!doctype html><meta charset=utf-8><title>Berth demo</title><h1>Deployed by Berth</h1>")
	if greeting, err := os.ReadFile("/greeting.txt"); err == nil {
		fmt.Fprintf(w, "<p>%s</p>", html.EscapeString(string(greeting)))
	}
	if site, err := os.ReadFile("/site/index.html"); err == nil {
		w.Write(site)
	}
	for _, name := range strings.Fields(os.Getenv("SHOW")) {
		fmt.Fprintf(w, "<p>%s = %s</p>", html.EscapeString(name), html.EscapeString(os.Getenv(name)))
	}
	for _, name := range strings.Fields(os.Getenv("HIDE")) {
		value, there := os.LookupEnv(name)
		if !there {
			fmt.Fprintf(w, "<p>%s did not arrive</p>", html.EscapeString(name))
			continue
		}
		fmt.Fprintf(w, "<p>%s arrived, %d bytes, SHA-256 begins %x</p>", html.EscapeString(name), len(value), sha256.Sum256([]byte(value)))
	}
}
