//! The address of a game: `http://host:8000/k3Vx9QmZ#secret`.

use rules::game::shorten;

/// Where a game is, and the secret of a seat if the link has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Host and port, as a request names them.
    pub host: String,
    /// The path before the id, if the server is not at the root of its host.
    pub base: String,
    pub id: String,
    pub token: Option<String>,
    /// Whether the server is reached over TLS.
    pub secure: bool,
}

impl Link {
    pub fn parse(text: &str) -> Result<Link, String> {
        let text = text.trim();
        let wrong = || {
            format!(
                "`{}` is not a link to a game, expected one such as http://host:8000/k3Vx9QmZ",
                shorten(text.split('#').next().unwrap_or_default())
            )
        };
        let secure = text.starts_with("https://");
        #[cfg(not(feature = "tls"))]
        if secure {
            return Err(format!("this link begins with https: {}", super::stream::NO_TLS));
        }
        let rest = text.strip_prefix("https://").or(text.strip_prefix("http://")).unwrap_or(text);
        let (rest, token) = match rest.split_once('#') {
            Some((rest, token)) => (rest, Some(token).filter(|token| !token.is_empty())),
            None => (rest, None),
        };
        let (host, path) = rest.split_once('/').ok_or_else(wrong)?;
        let path = path.split('?').next().unwrap_or_default().trim_end_matches('/');
        let (base, id) = path.rsplit_once('/').map_or(("", path), |(base, id)| (base, id));
        let is_id = id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let is_host = !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || c == '@');
        let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_id || !is_host || !is_plain(rest) || !token.is_none_or(is_plain) {
            return Err(wrong());
        }
        let port = if secure { 443 } else { 80 };
        let host = if has_port(host) { host.to_owned() } else { format!("{host}:{port}") };
        let base = if base.is_empty() { String::new() } else { format!("/{base}") };
        Ok(Link { host, base, id: id.to_owned(), token: token.map(str::to_owned), secure })
    }

    /// A server without a game: `http://host:8000`.
    pub fn server(text: &str) -> Result<Link, String> {
        let wrong = || {
            let shown = shorten(text);
            format!("`{shown}` is not a server, expected one such as http://host:8000")
        };
        let bare = text.trim().trim_end_matches('/');
        // Any id makes it the link of a game.
        let link = Link::parse(&format!("{bare}/AAAAAAAA"));
        let link = link.map_err(|why| if why.contains("https") { why } else { wrong() })?;
        if bare.contains(['#', '?']) { Err(wrong()) } else { Ok(link) }
    }

    /// The link of another game of the same server, for the same seat.
    pub fn of_game(&self, id: &str) -> String {
        let token = self.token.as_ref().map_or(String::new(), |token| format!("#{token}"));
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://{}{}/{id}{token}", self.host, self.base)
    }

    /// The path of a request about this game.
    pub fn path(&self, rest: &str) -> String {
        format!("{}/api/games/{}{rest}", self.base, self.id)
    }
}

fn has_port(host: &str) -> bool {
    // `[::1]` has colons, but no port.
    host.rsplit(']').next().is_some_and(|end| end.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_as_pages_write_them() {
        let link = Link::parse("http://127.0.0.1:8000/k3Vx9QmZ#s3cret").unwrap();
        assert_eq!(link.path("/socket"), "/api/games/k3Vx9QmZ/socket");
        assert_eq!((link.host.as_str(), link.token.as_deref()), ("127.0.0.1:8000", Some("s3cret")));
        let link = Link::parse("play.example.org/games/k3Vx9QmZ/").unwrap();
        assert_eq!((link.host.as_str(), link.base.as_str()), ("play.example.org:80", "/games"));
        assert_eq!(Link::parse("http://[::1]/k3Vx9QmZ").unwrap().host, "[::1]:80");
    }

    #[test]
    fn what_is_no_link_is_refused_without_its_secret() {
        for text in ["", "k3Vx9QmZ", "http://host/short#s3cret", "http:///k3Vx9QmZ", "a b/k3Vx9QmZ"]
        {
            let error = Link::parse(text).unwrap_err();
            assert!(error.contains("is not a link") && !error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_spoken_is_told_with_a_way_round() {
        let link = Link::parse("https://host/k3Vx9QmZ#s3cret");
        #[cfg(not(feature = "tls"))]
        {
            let error = link.unwrap_err();
            assert!(error.contains("--features tls") && error.contains("ssh -L"), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
        #[cfg(feature = "tls")]
        assert_eq!(link.unwrap().of_game("AAAAAAAA"), "https://host:443/AAAAAAAA#s3cret");
    }
}
