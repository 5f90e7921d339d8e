package endpoint

import (
	"net/http"
	"time"
)

// SessionCookie is the name of the cookie that carries a browser session.
const SessionCookie = "berth_session"

// SetSession hands the browser its session: out of reach of scripts, not sent along with
// requests that other sites cause except following a link, and only over TLS when
// secure says that APP_URL is https.
func SetSession(w http.ResponseWriter, value string, expires time.Time, secure bool) {
	http.SetCookie(w, sessionCookie(value, expires, 0, secure))
}

// ClearSession takes the session from the browser.
func ClearSession(w http.ResponseWriter, secure bool) {
	http.SetCookie(w, sessionCookie("", time.Time{}, -1, secure))
}

func sessionCookie(value string, expires time.Time, maxAge int, secure bool) *http.Cookie {
	return &http.Cookie{Name: SessionCookie, Value: value, Path: "/", Expires: expires, MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: secure}
}

// TripCookie is the name of the cookie that a browser brings back from where it was sent to sign in.
const TripCookie = "berth_trip"

// SetTrip hands the browser the cookie of a trip, which it brings to paths below one and nowhere else.
func SetTrip(w http.ResponseWriter, below, value string, life time.Duration, secure bool) {
	http.SetCookie(w, tripCookie(below, value, int(life.Seconds()), secure))
}

// ClearTrip takes the cookie of a trip that has ended, however it did.
func ClearTrip(w http.ResponseWriter, below string, secure bool) {
	http.SetCookie(w, tripCookie(below, "", -1, secure))
}

func tripCookie(below, value string, maxAge int, secure bool) *http.Cookie {
	return &http.Cookie{Name: TripCookie, Value: value, Path: below, MaxAge: maxAge, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: secure}
}

// TripOf returns the cookie of a trip that r carries; empty when none.
func TripOf(r *http.Request) string {
	cookie, err := r.Cookie(TripCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// SessionOf returns the browser session that r carries; empty when none.
func SessionOf(r *http.Request) string {
	cookie, err := r.Cookie(SessionCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// stepsCookie is the name of the cookie of a browser that does not want to be shown the first steps.
const stepsCookie = "berth_steps"

// HideSteps has the browser remember for a year that it does not want the first steps, or forget it.
func HideSteps(w http.ResponseWriter, hide, secure bool) {
	life := int((365 * 24 * time.Hour).Seconds())
	if !hide {
		life = -1
	}
	http.SetCookie(w, &http.Cookie{Name: stepsCookie, Value: "hidden", Path: "/", MaxAge: life, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: secure})
}

// StepsHidden reports whether the browser does not want the first steps.
func StepsHidden(r *http.Request) bool {
	_, err := r.Cookie(stepsCookie)
	return err == nil
}
