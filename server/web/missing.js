// Static hosts serve this for any missing path, at any depth, so it first has to find the root of the site. It is
// inlined into `404.html`, which cannot refer to files before that.
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
