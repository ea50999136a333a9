// Static hosts answer with this whatever they do not find, at any depth: it first finds out where the site begins. It
// stands in `404.html` itself, which cannot name a file before that.
(async () => {
  const page = '{page}';
  const begins = async (/** @type {string} */ path) => {
    try {
      return (await (await fetch(`${path}manifest.webmanifest`)).json()).name === 'Quadrille';
    } catch {
      return false;
    }
  };
  let base = location.pathname;
  do base = base.replace(/[^/]*\/?$/, '');
  while (base !== '/' && !(await begins(base)));
  document.open();
  document.write(page.replaceAll('="/', () => `="${base}`));
  document.close();
})();
