package ui

import "time"

func sampleProfile() profilePage {
	page := newProfilePage()
	page.Role, page.Name.Value, page.Email.Value = "admin: settings and users too", "Ada Lovelace", "ada@example.org"
	page.Sessions = []sessionLine{
		{Browser: "Firefox on Linux", Address: "192.0.2.7", Current: true, Opened: at(before(3*time.Hour), sampleNow), EndHref: "/profile/sessions/ses_1/end"},
		{Browser: "Safari on iPhone", Address: "2001:db8::1", Opened: at(before(90*time.Hour), sampleNow), EndHref: "/profile/sessions/ses_2/end"},
	}
	return page
}

func sampleFactor(in func(*factorPage)) factorPage {
	page := factorPage{Hidden: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", Secret: copyable{"secret", "Secret", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"}, Codes: copyable{"codes", "Recovery codes", "abcde-fghjk\n01234-56789"},
		Address: copyable{"address", "Address", "otpauth://totp/Berth:ada@example.org?algorithm=SHA1&digits=6&issuer=Berth&period=30&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"},
		Picture: codePicture{11, "M4 4h2v1h-2ZM4 6h1v1h-1ZM6 6h1v1h-1Z"}}
	in(&page)
	page.fields()
	return page
}

// namer is a provider by its name; none when that is empty.
type namer string

// On implements ProviderNamer.
func (n namer) On() (string, bool) { return string(n), n != "" }

func sampleSignOn(linked, made bool) profilePage {
	page := sampleProfile()
	page.Passwordless = made
	page.SignOn = signOnPart{Provider: "Keycloak", Linked: linked, Made: made, Since: at(before(200*time.Hour), sampleNow),
		Proof: input{Name: "password", ID: "f-sso", Label: "Present password", Kind: "password", Complete: "current-password"}}
	return page
}
