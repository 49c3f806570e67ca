// A site of many pages on loopback, each linking to a few others, that counts how often each was fetched.
import { once } from 'node:events';
import { createServer } from 'node:http';

export interface Site {
  url: string;
  /** How often each path was fetched. */
  fetched: Map<string, number>;
  /** Answers what is held, and from now on every page. */
  release(): void;
  close(): void;
}

export interface SiteOptions {
  /** After so many pages no answer comes until they are released. */
  holdAfter?: number;
}

const LINKS = 5;

/** Every page is reached from the first one: page n links to the pages 5n+1 … 5n+5. */
export async function startSite(pages: number, { holdAfter = Infinity }: SiteOptions = {}): Promise<Site> {
  const fetched = new Map<string, number>();
  let answered = 0;
  let limit = holdAfter;
  const held: (() => void)[] = [];
  const server = createServer(({ url = '/' }, response) => {
    const number = Number(url.slice('/page/'.length));
    fetched.set(url, (fetched.get(url) ?? 0) + 1);
    const answer = () => {
      const links = Array.from({ length: LINKS }, (_, index) => number * LINKS + index + 1).filter(
        (one) => one < pages,
      );
      const body = links.map((one) => `<a href="/page/${one}">${one}</a>`).join('');
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>Page ${number}</title>${body}`);
    };
    answered += 1;
    if (answered > limit) held.push(answer);
    else answer();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    fetched,
    release() {
      limit = Infinity;
      for (const answer of held.splice(0)) answer();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
