// A small shop on loopback, with a sitemap, a robots.txt, pages that fail, and pages that only robots.txt closes.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

export interface ShopSite {
  url: string;
  /** Paths in the order in which they were fetched. */
  fetched: string[];
  close(): void;
}

/** The first page links to products 1 to 3; product n links to product n + 10, as far as 40. */
export async function startShop(): Promise<ShopSite> {
  const fetched: string[] = [];
  let failures = 0;
  const server = createServer(({ url: path = '/', headers }, response) => {
    fetched.push(path);
    const origin = `http://${headers.host}`;
    const product = /^\/products\/(\d+)$/.exec(path)?.[1];
    if (product !== undefined) send(response, productPage(Number(product)));
    else if (path === '/') send(response, FRONT);
    else if (path === '/robots.txt')
      send(response, `User-agent: *\nDisallow: /private/\nSitemap: ${origin}/sitemap.xml\n`, 'text/plain');
    else if (path === '/sitemap.xml') send(response, sitemapOf(origin), 'application/xml');
    else if (path === '/moody') {
      // It works at the third try.
      failures += 1;
      if (failures < 3) response.writeHead(503).end();
      else send(response, '<title>Moody</title>');
    } else if (path === '/private/secret' || path === '/hidden' || path === '/about')
      send(response, `<title>${path.split('/').at(-1)}</title>`);
    else response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Nothing here</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    fetched,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function send(response: ServerResponse, body: string, type = 'text/html; charset=utf-8'): void {
  response.writeHead(200, { 'content-type': type }).end(body);
}

const LINKS = [
  '/products/1',
  '/products/2',
  '/products/3',
  '/about',
  '/private/secret',
  '/missing',
  '/moody',
];
const FRONT = `<html><head><title>Shop</title><meta name="description" content="All we have"></head>
  <body><h1>Shop</h1>${LINKS.map((path) => `<a href="${path}">${path}</a>`).join(' ')}
  <a href="mailto:shop@example.com">Mail</a></body></html>`;

function productPage(number: number): string {
  const next = number + 10;
  const link = next < 40 ? `<a href="/products/${next}#more">Next</a>` : '';
  return `<html><head><title>Product ${number}</title></head><body><h1>  Product
    ${number} </h1><span class="price">€ 1.${String(number).padStart(3, '0')},50</span>
    <ul><li class="review"><b>Ada</b> <i>5</i></li><li class="review"><b>Ben</b> <i>3</i></li></ul>
    <img src="pictures/${number}.png">${link}</body></html>`;
}

function sitemapOf(origin: string): string {
  const pages = ['/hidden', '/products/7', '/private/secret'];
  const list = pages.map((path) => `<url><loc>${origin}${path}</loc></url>`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${list}</urlset>`;
}
