// Package browser is a real Chromium that looks at pages for tests: it collects whatever the browser complains
// about and judges what it shows: names, landmarks, headings, contrast, width. It knows nothing of the program
// whose pages it looks at. Start with Open.
package browser
