package ui

// samplePick is picking a repository: before anything was chosen, or when all was.
func samplePick(chosen bool) repositoryPickPage {
	page := repositoryPickPage{Host: "GitHub", Account: "ada", Key: "cred_1", Action: "/git-hosts/github/new", ConnectHref: connectHref("github"),
		Organization: choice{Name: "organization", Label: "Account or organization", Options: []option{{"", "Choose one", !chosen}, {"ada", "ada", false}, {"acme", "acme", chosen}}}}
	if !chosen {
		page.Trouble = "GitHub does not accept this key any more."
		return page
	}
	page.URL, page.Truncated, page.None = "https://github.com/acme/shop.git", true, true
	page.Repository = choice{Name: "repository", Label: "Repository", Options: []option{{"", "Choose one", false}, {"acme/shop", "shop (private)", true}}}
	page.Branch = choice{Name: "branch", Label: "Branch", Options: []option{{"", "The default branch, now main", true}, {"release/1", "release/1", false}}}
	page.Name = input{Name: "name", Label: "Name", Kind: "text", Complete: "off", Value: "shop"}
	return page
}
