// The calls that `--demo` makes to the code host: a repository with analyses of its code, an app that is installed on it, and gists.
import { gzipSync } from 'node:zlib';
import { actorOf } from '../kernel/change/actor.ts';
import type { DemoCall, DemoCalls } from '../kernel/dialect.ts';
import type { KnownCaller } from '../kernel/identity/caller.ts';
import { ADMIN, requireAdmin } from '../kernel/identity/first-start.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { createInstallation } from './apps/change-installation.ts';
import { createApp } from './apps/create-app.ts';
import { findAppBySlug } from './apps/store.ts';
import { findOwner } from './owners/store.ts';

const APP = { name: 'Demo deployer', slug: 'demo-deployer' };
const SHOP = `/repos/${ADMIN}/demo-shop`;

const CHECKOUT = `// The checkout of the demo shop.
import type { Basket, Page, User } from './shop.ts';
import { flags } from './flags.ts';

interface Checkout {
  basket: Basket;
  user: User;
}

/** On one page for those who have the flag, and in three steps for others. */
export function checkoutPage({ basket, user }: Checkout): Page {
  if (flags.variation('new-checkout', user, false)) {
    return { template: 'one-page', data: { basket, total: basket.total() } };
  }
  return { template: 'three-steps', data: { basket, step: 1 } };
}
`;

const SEARCH = `// The search of the demo shop.
export async function searchProducts(db, words) {
  const found = await db.all("select * from products where title like '%" + words + "%'");
  return found.map(({ title, html }) => '<h2>' + title + '</h2>' + html).join('');
}
`;

const SAFER_SEARCH = SEARCH.replace(`'%" + words + "%'"`, `?", '%' + words + '%'`);

const RULES = [
  {
    id: 'js/sql-injection',
    shortDescription: { text: 'A query is built from what a user has sent' },
    help: { text: 'Pass values beside the query, as parameters.' },
    defaultConfiguration: { level: 'error' },
    properties: { tags: ['security'], 'security-severity': '8.8' },
  },
  {
    id: 'js/html-injection',
    shortDescription: { text: 'HTML is built from text that is not escaped' },
    help: { text: 'Escape text before it becomes HTML.' },
    defaultConfiguration: { level: 'warning' },
    properties: { tags: ['security'], 'security-severity': '6.1' },
  },
];

const INJECTION = {
  ruleId: 'js/sql-injection',
  message: { text: 'The words of the search are a part of the query.' },
  line: 3,
};
const UNESCAPED = {
  ruleId: 'js/html-injection',
  message: { text: 'The title of a product becomes HTML as it is.' },
  line: 4,
};

/** In this order, so that the second analysis closes an alert of the first. Nothing where there is no git. */
export async function* hostDemo(kernel: Kernel): DemoCalls {
  if (!kernel.services.git.status().isAvailable) return;
  const description = 'The shop of the examples';
  const { id: repository } = yield {
    ...post('/user/repos', { name: 'demo-shop', description, auto_init: true }),
    existing: 422,
  };
  yield writeFile('src/checkout.ts', CHECKOUT, 'Show the new checkout to some');
  const first = yield writeFile('src/search.js', SEARCH, 'Search for products');
  yield uploadAnalysis(first, [INJECTION, UNESCAPED]);
  const { sha } = first['content'] as { sha: string };
  const second = yield writeFile('src/search.js', SAFER_SEARCH, 'Send the words beside the query', sha);
  yield uploadAnalysis(second, [UNESCAPED]);
  // Whoever has deleted the repository alone has the others still.
  if ((await findAppBySlug(kernel.db, APP.slug)) !== undefined) return;
  await installApp(kernel, repository as number);

  const { id: gist } = yield post('/gists', {
    description: 'How to try a flag of the demo shop',
    public: true,
    files: { 'try-a-flag.md': { content: '# Try a flag\n\nOpen the shop as **ada**.\n' } },
  });
  const files = {
    'try-a-flag.md': { content: '# Try a flag\n\nOpen the shop as **ada**, or as **grace**.\n' },
    'contexts.json': { content: '[{ "kind": "user", "key": "ada" }, { "kind": "user", "key": "grace" }]\n' },
  };
  yield { method: 'PATCH', path: `/gists/${String(gist)}`, body: { files } };
  yield post(`/gists/${String(gist)}/comments`, { body: 'Everybody else sees it in a tenth of all cases.' });
  yield { method: 'PUT', path: `/gists/${String(gist)}/star` };
  yield post('/gists', {
    description: 'Only for those who have the link',
    public: false,
    files: { 'discounts.csv': { content: 'code,percent\nSPRING,10\n' } },
  });
}

const post = (path: string, body: object): DemoCall => ({ method: 'POST', path, body });

const writeFile = (path: string, content: string, message: string, sha?: string): DemoCall => ({
  method: 'PUT',
  path: `${SHOP}/contents/${path}`,
  body: { message, content: Buffer.from(content).toString('base64'), ...(sha !== undefined && { sha }) },
});

interface DemoFinding {
  ruleId: string;
  message: { text: string };
  line: number;
}

function uploadAnalysis(written: Readonly<Record<string, unknown>>, findings: readonly DemoFinding[]) {
  const { sha } = written['commit'] as { sha: string };
  const results = findings.map(({ ruleId, message, line }) => ({
    ruleId,
    message,
    locations: [
      { physicalLocation: { artifactLocation: { uri: 'src/search.js' }, region: { startLine: line } } },
    ],
  }));
  const run = { tool: { driver: { name: 'Demo linter', version: '1.0.0', rules: RULES } }, results };
  const sarif = gzipSync(JSON.stringify({ version: '2.1.0', runs: [run] })).toString('base64');
  return post(`${SHOP}/code-scanning/sarifs`, { commit_sha: sha, ref: 'refs/heads/main', sarif });
}

/** Without keys, which its owner creates on the page of the app. No call creates an app: people agree on a page. */
async function installApp({ db, engine, identity, clock, changes }: Kernel, repository: number) {
  const now = clock.now();
  const { id: ownerId } = await requireAdmin(engine);
  const caller = (await identity.callerOfAccount(db, ownerId, now)) as KnownCaller;
  const account = (await findOwner(db, ADMIN))!;
  await changes.run(actorOf(caller, now), async (on) => {
    const app = await createApp(on, {
      ownerId,
      name: APP.name,
      description: 'Puts the demo shop on the web after each push',
      externalUrl: 'https://deployer.example',
      isPublic: true,
      permissions: { contents: 'read', statuses: 'write' },
      events: ['push'],
      urls: { redirect: null, callbacks: [], setup: null, setupOnUpdate: false },
      hook: { url: null, isActive: false, contentType: 'json', insecureSsl: false },
    });
    await createInstallation(on, { app, account, repositories: [repository] });
  });
}
