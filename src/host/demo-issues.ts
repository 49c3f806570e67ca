// The issues and pull requests of the demo shop: some are open, one is reviewed, and one is merged.
import type { DemoCalls } from '../kernel/http/protocol.ts';
import { SHOP, demoRef, fileAt, get, isThere, post, writeFile } from './demo-calls.ts';

const MILESTONE = 'Spring sale';
const TESTS_BRANCH = 'test-prices';
const ROUNDED = 'Round prices';

interface DemoIssue {
  id: number;
  number: number;
  title: string;
  comments: number;
}

/** One is a part of another. */
export async function* createIssues(): DemoCalls {
  const label = { name: 'checkout', color: '1d76db', description: 'From the basket to the receipt' };
  yield { ...post(`${SHOP}/labels`, label), existing: 422 };
  const dueOn = '2027-03-20T00:00:00Z';
  yield { ...post(`${SHOP}/milestones`, { title: MILESTONE, due_on: dueOn }), existing: 422 };
  const [milestone] = (yield get(`${SHOP}/milestones`)).body as { number: number }[];
  const known = (yield get(`${SHOP}/issues?state=all&per_page=100`)).body as DemoIssue[];
  const found = (title: string) => known.find((issue) => issue.title === title);
  const wanted = [
    {
      title: 'Everybody gets the new checkout',
      body: '- [x] Some get it\n- [ ] Prices are right\n- [ ] The flag is removed\n',
      labels: ['checkout', 'enhancement'],
      milestone: milestone?.number ?? null,
    },
    {
      title: 'Prices have too many decimals',
      body: 'A basket of three costs **29.969999 EUR**.',
      labels: ['checkout', 'bug'],
      milestone: milestone?.number ?? null,
    },
    { title: 'The search finds nothing without accents', body: null, labels: ['good first issue'] },
  ];
  for (const issue of wanted)
    if (found(issue.title) === undefined) known.push((yield post(`${SHOP}/issues`, issue)).body as DemoIssue);
  const [whole, part] = wanted.map(({ title }) => found(title)!);
  if (part!.comments === 0)
    yield post(`${SHOP}/issues/${part!.number}/comments`, {
      body: 'Only for amounts that are the sum of others.',
    });
  yield {
    ...post(`${SHOP}/issues/${whole!.number}/sub_issues`, { sub_issue_id: part!.id }),
    existing: 422,
  };
}

const TESTS = `import { roundPrice } from './prices.ts';

console.assert(roundPrice(29.969999) === 29.97);
`;

/** Into the branch that is reviewed: what a start shows at once stays as it is. */
export async function* demoMerge(base: string): DemoCalls {
  const path = 'src/prices.test.ts';
  if (!(yield* isThere(fileAt(path, base)))) {
    const { object } = (yield get(`${SHOP}/git/ref/heads/${base}`)).body as { object: { sha: string } };
    yield demoRef(`refs/heads/${TESTS_BRANCH}`, object.sha);
    if (!(yield* isThere(fileAt(path, TESTS_BRANCH))))
      yield writeFile(path, TESTS, 'Test prices', undefined, TESTS_BRANCH);
    const draft = { title: 'Test prices', body: 'With the basket of the fault.', head: TESTS_BRANCH, base };
    yield { ...post(`${SHOP}/pulls`, draft), existing: 422 };
    const [pull] = (yield get(`${SHOP}/pulls?base=${base}`)).body as { number: number }[];
    const merge = { merge_method: 'squash' };
    yield { method: 'PUT', path: `${SHOP}/pulls/${pull!.number}/merge`, body: merge };
  }
  if (yield* isThere(`${SHOP}/git/ref/heads/${TESTS_BRANCH}`))
    yield { method: 'DELETE', path: `${SHOP}/git/refs/heads/${TESTS_BRANCH}` };
}

/** The author has a question about a line. */
export async function* demoReview(branch: string): DemoCalls {
  const known = (yield get(`${SHOP}/issues?state=all&per_page=100`)).body as DemoIssue[];
  const fault = known.find(({ title }) => title === 'Prices have too many decimals');
  const body = fault === undefined ? null : `Fixes #${fault.number}`;
  const draft = { title: ROUNDED, body, head: branch, base: 'main' };
  yield { ...post(`${SHOP}/pulls`, draft), existing: 422 };
  const [pull] = (yield get(`${SHOP}/pulls?base=main`)).body as { number: number; head: { sha: string } }[];
  if (pull === undefined) return;
  const { number, head } = pull;
  const at = `${SHOP}/pulls/${number}`;
  const question = { path: 'src/prices.ts', line: 4, side: 'RIGHT', commit_id: head.sha };
  if (((yield get(`${at}/comments`)).body as unknown[]).length === 0)
    yield post(`${at}/comments`, { ...question, body: 'What about `1.005`?' });
  // That of the comment is the first.
  if (((yield get(`${at}/reviews`)).body as unknown[]).length < 2)
    yield post(`${at}/reviews`, { event: 'COMMENT', body: 'Nearly there.' });
}
