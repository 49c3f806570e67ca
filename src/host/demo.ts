// The calls that `--demo` makes to the code host: a repository with branches, tags, issues, pull requests and analyses of its code, an app
// that is installed on it, and gists.
import { gzipSync } from 'node:zlib';
import { actorOf, systemActor } from '../kernel/identity/actor.ts';
import type { DemoCall, DemoCalls, DemoPart } from '../kernel/http/protocol.ts';
import type { KnownCaller } from '../kernel/identity/caller.ts';
import { ADMIN, requireAdmin } from '../kernel/identity/first-start.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Db } from '../kernel/storage/tables.ts';
import { createInstallation } from './apps/change-installation.ts';
import { createApp } from './apps/change-app.ts';
import { removeApp } from './apps/remove-app.ts';
import { appResource } from './apps/app.ts';
import { findAppBySlug } from './apps/store.ts';
import { REPOSITORY, SHOP, demoRef, fileAt, demoHead, get, isThere, post, writeFile } from './demo-calls.ts';
import { createIssues, demoReview, demoMerge } from './demo-issues.ts';
import { gistResource } from './gists/access.ts';
import { auditedGistName } from './gists/record-change.ts';
import { listGistsOf } from './gists/store-lists.ts';
import { findOwner } from './owners/store.ts';
import { repositoryResource } from './repositories/repository.ts';
import { findRepositoryByName } from './repositories/store.ts';
import { findLastGistComment, findLastIssueUpdate } from './store-demo-changes.ts';

const APP = { name: 'Demo deployer', slug: 'demo-deployer' };
const BRANCH = 'round-prices';
const OPEN_GIST = 'How to try a flag of the demo shop';
/** As many as a page of the API. */
const NEWEST_GISTS = 100;
const SECRET_GIST = 'Only for those who have the link';
/** The last of what is created. */
const LAST_TAG = 'tags/v0.2.0';

const README = `# Demo shop

The shop of the examples: a checkout, a search, and prices that an Actor compares with those of suppliers.

| Part | What it does |
|---|---|
| \`src/checkout.ts\` | one page or three steps, as the flag \`new-checkout\` says |
| \`src/search.js\` | finds products by their title |

## Try it

\`\`\`sh
git clone $SIGNALBOX_URL/${ADMIN}/demo-shop.git
cd demo-shop
git switch -c my-change
\`\`\`

- [ ] Round prices to whole cents
- [x] Send the words of the search beside the query
`;

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

const PRICES = `// Prices of the demo shop.
/** To whole cents. */
export function roundPrice(amount: number): number {
  return Math.round(amount * 100) / 100;
}
`;

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

/** Nothing where the example was completed before, so that what was deleted of it since stays deleted; nor where there is no git. */
export async function* hostDemo(kernel: Kernel): DemoCalls {
  if (!kernel.services.git.status().isAvailable) return;
  if ((yield* isThere(SHOP)) && (yield* isThere(`${SHOP}/git/ref/${LAST_TAG}`))) return;
  yield* createRepository();
  const { id: repository } = (yield get(SHOP)).body as { id: number };
  if ((await findAppBySlug(kernel.db, APP.slug)) === undefined) await installApp(kernel, repository);
  yield* createGists();
  yield 'listening';
  yield* createIssues();
  yield* demoMerge(BRANCH);
  yield* demoReview(BRANCH);
  yield demoRef(`refs/${LAST_TAG}`, yield* demoHead());
}

export async function* removeHostDemo(kernel: Kernel): DemoCalls {
  const { db, changes, clock } = kernel;
  const app = await findAppBySlug(db, APP.slug);
  if (app !== undefined) await changes.run(systemActor({ now: clock.now() }), (tx) => removeApp(tx, app));
  yield { method: 'DELETE', path: SHOP };
  const gists = ((yield get(`/gists?per_page=${NEWEST_GISTS}`)).body ?? []) as DemoGist[];
  for (const { id, description } of gists)
    if (description === OPEN_GIST || description === SECRET_GIST)
      yield { method: 'DELETE', path: `/gists/${id}` };
}

export async function hostDemoParts(db: Db): Promise<DemoPart[]> {
  const owner = await findOwner(db, ADMIN);
  if (owner === undefined) return [];
  const parts: DemoPart[] = [];
  const repository = await findRepositoryByName(db, owner, REPOSITORY);
  if (repository !== undefined) {
    const { name, number, pushedAt } = repository;
    const issueAt = (await findLastIssueUpdate(db, number)) ?? 0;
    parts.push({
      resource: repositoryResource({ repository, owner }),
      kind: 'repository',
      name,
      dataChangedAt: Math.max(pushedAt, issueAt),
    });
  }
  const app = await findAppBySlug(db, APP.slug);
  if (app !== undefined) parts.push({ resource: appResource(app), kind: 'app', name: APP.slug });
  const newest = { since: undefined, offset: 0, limit: NEWEST_GISTS };
  for (const gist of await listGistsOf(db, owner.id, { isPublicOnly: false }, newest)) {
    if (gist.description !== OPEN_GIST && gist.description !== SECRET_GIST) continue;
    const id = auditedGistName(gist);
    const commentAt = await findLastGistComment(db, gist.number);
    parts.push({
      resource: gistResource({ gist: { id }, owner }),
      kind: 'gist',
      name: gist.description,
      ...(commentAt !== undefined && { dataChangedAt: commentAt }),
    });
  }
  return parts;
}

/** In this order, so that the second analysis closes an alert of the first. Each step that would happen twice looks for the next. */
async function* createRepository(): DemoCalls {
  const description = 'The shop of the examples';
  yield { ...post('/user/repos', { name: REPOSITORY, description }), existing: 422 };
  if (!(yield* isThere(fileAt('README.md')))) yield writeFile('README.md', README, 'Say what the shop is');
  if (!(yield* isThere(fileAt('src/checkout.ts'))))
    yield writeFile('src/checkout.ts', CHECKOUT, 'Show the new checkout to some');
  if (!(yield* isThere(fileAt('src/search.js'))))
    yield writeFile('src/search.js', SEARCH, 'Search for products');
  const { sha, content } = (yield get(fileAt('src/search.js'))).body as { sha: string; content: string };
  if (Buffer.from(content, 'base64').toString() === SEARCH) {
    yield uploadAnalysis(yield* demoHead(), [INJECTION, UNESCAPED]);
    yield writeFile('src/search.js', SAFER_SEARCH, 'Send the words beside the query', sha);
  }
  const head = yield* demoHead();
  if (!(yield* isThere(`${SHOP}/branches/${BRANCH}`))) {
    yield uploadAnalysis(head, [UNESCAPED]);
    yield demoRef(`refs/heads/${BRANCH}`, head);
  }
  if (!(yield* isThere(fileAt('src/prices.ts', BRANCH))))
    yield writeFile('src/prices.ts', PRICES, 'Round prices', undefined, BRANCH);
  const statuses = (yield get(`${SHOP}/commits/${head}/statuses`)).body as unknown[];
  const status = { state: 'success', context: 'demo/tests', description: 'All tests have passed' };
  if (statuses.length === 0) yield post(`${SHOP}/statuses/${head}`, status);
  const [first] = ((yield get(`${SHOP}/commits?path=src/checkout.ts`)).body as { sha: string }[]).slice(-1);
  yield demoRef('refs/tags/v0.1.0', first!.sha);
}

interface DemoGist {
  id: string;
  description: string;
  files: object;
  comments: number;
}

async function* createGists(): DemoCalls {
  const known = (yield get('/gists')).body as DemoGist[];
  const description = OPEN_GIST;
  const open =
    known.find((gist) => gist.description === description) ??
    ((yield post('/gists', {
      description,
      public: true,
      files: { 'try-a-flag.md': { content: '# Try a flag\n\nOpen the shop as **ada**.\n' } },
    })).body as DemoGist);
  const files = {
    'try-a-flag.md': { content: '# Try a flag\n\nOpen the shop as **ada**, or as **grace**.\n' },
    'contexts.json': { content: '[{ "kind": "user", "key": "ada" }, { "kind": "user", "key": "grace" }]\n' },
  };
  if (!('contexts.json' in open.files)) yield { method: 'PATCH', path: `/gists/${open.id}`, body: { files } };
  if (open.comments === 0)
    yield post(`/gists/${open.id}/comments`, { body: 'Everybody else sees it in a tenth of all cases.' });
  yield { method: 'PUT', path: `/gists/${open.id}/star` };
  if (known.some((gist) => gist.description === SECRET_GIST)) return;
  yield post('/gists', {
    description: SECRET_GIST,
    public: false,
    files: { 'discounts.csv': { content: 'code,percent\nSPRING,10\n' } },
  });
}

interface DemoFinding {
  ruleId: string;
  message: { text: string };
  line: number;
}

function uploadAnalysis(sha: string, findings: readonly DemoFinding[]): DemoCall {
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
  await changes.run(actorOf(caller, now), async (tx) => {
    const app = await createApp(tx, {
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
    await createInstallation(tx, { app, account, repositories: [repository] });
  });
}
