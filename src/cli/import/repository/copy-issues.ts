// Copies labels, milestones, issues, pull requests, comments and reviews, page by page: as much as a page is in memory.
import { Failure } from '../../../kernel/failure.ts';
import type { BatchResult, ImportReply, SentBatch } from '../../../host/imports/model.ts';
import type { Static } from '../../../kernel/schema/schema.ts';
import type { Progress } from '../../progress.ts';
import type { RestClient } from './rest-client.ts';
import {
  commentItem,
  issueItem,
  labelItem,
  milestoneItem,
  reviewCommentItem,
  reviewItem,
  type SourceReply,
} from './source-items.ts';

const PAGE = 100;
/** Of a batch, so that the server takes it whatever its texts are. */
const MAX_BATCH_BYTES = 4 * 1024 ** 2;
/** The lines of what was left out; the rest is counted. */
const MAX_LINES = 20;

/** What the source has beside these is not copied. */
const NEVER_COPIED =
  'Reactions, timelines, sub-issues, dependencies, requests for reviews and resolved conversations are not copied.';

type ImportProgress = Static<typeof ImportReply>['imported'];

export interface IssueCopy {
  source: RestClient;
  /** Of the repository there, such as `/repos/ann/shop`. */
  path: string;
  target: RestClient;
  /** Where batches are sent to. */
  at: string;
  /** What the target has already. */
  imported: ImportProgress;
  progress: Progress;
}

export interface CopiedIssues {
  labels: number;
  milestones: number;
  issues: number;
  pullRequests: number;
  comments: number;
  reviews: number;
  reviewComments: number;
}

/** What an import brought, and what it left out, as sentences. */
interface IssueCopyResult {
  copied: CopiedIssues;
  leftOut: string[];
}

/** Begins an import on the target, or goes on with one. Undefined where the caller is no administrator there. */
export async function beginIssues(
  target: RestClient,
  at: string,
  source: string,
): Promise<ImportProgress | undefined> {
  const reply = await target.call('PUT', at, { source });
  if (reply.status === 403) return undefined;
  if (reply.status !== 200) throw target.failureOf(reply);
  return (reply.body as Static<typeof ImportReply>).imported;
}

export async function endIssues(target: RestClient, at: string): Promise<void> {
  const reply = await target.call('DELETE', at);
  if (reply.status !== 204) throw target.failureOf(reply);
}

export async function copyIssues(work: IssueCopy): Promise<IssueCopyResult> {
  const copier = new IssueCopier(work);
  await copier.copyLabels();
  await copier.copyMilestones();
  await copier.copyIssues();
  await copier.copyComments();
  await copier.copyReviewComments();
  return { copied: copier.copied, leftOut: [...copier.leftOut(), NEVER_COPIED] };
}

type BatchKey = keyof SentBatch;
type Item<Key extends BatchKey> = NonNullable<SentBatch[Key]>[number];

class IssueCopier {
  readonly copied: CopiedIssues = {
    labels: 0,
    milestones: 0,
    issues: 0,
    pullRequests: 0,
    comments: 0,
    reviews: 0,
    reviewComments: 0,
  };
  readonly #work: IssueCopy;
  readonly #lines: string[] = [];
  #unshown = 0;
  #areIssuesOff = false;

  constructor(work: IssueCopy) {
    this.#work = work;
  }

  leftOut(): string[] {
    return this.#unshown === 0
      ? this.#lines
      : [...this.#lines, `${this.#unshown.toLocaleString('en')} more are not listed.`];
  }

  async copyLabels(): Promise<void> {
    for await (const page of this.#pages('/labels', {}))
      this.copied.labels += await this.#send('labels', page.map(labelItem));
  }

  async copyMilestones(): Promise<void> {
    for await (const page of this.#pages('/milestones', { state: 'all', sort: 'due_on', direction: 'asc' }))
      this.copied.milestones += await this.#send('milestones', page.map(milestoneItem));
  }

  /** Pull requests are issues too: those have an address of their own besides. */
  async copyIssues(): Promise<void> {
    const { imported } = this.#work;
    for await (const page of this.#pagesByUpdate('/issues', { state: 'all' }, imported.issue.updated_at))
      await this.#copyPage(page, isPullIn);
    if (!this.#areIssuesOff) return;
    for await (const page of this.#pages('/pulls', { state: 'all', sort: 'created', direction: 'asc' }))
      await this.#copyPage(page, () => true);
  }

  async #copyPage(page: readonly SourceReply[], isPull: (issue: SourceReply) => boolean): Promise<void> {
    const { source, path } = this.#work;
    const issues: Item<'issues'>[] = [];
    const reviews: Item<'reviews'>[] = [];
    for (const issue of page) {
      const number = Number(issue['number']);
      if (!isPull(issue)) {
        issues.push(issueItem(issue));
        continue;
      }
      issues.push(issueItem(issue, (await source.get(`${path}/pulls/${number}`)) as SourceReply));
      for await (const some of this.#pages(`/pulls/${number}/reviews`, {}))
        reviews.push(...some.flatMap((review) => reviewItem(review, number) ?? []));
      this.#work.progress.update(`Pull request ${number.toLocaleString('en')}`);
    }
    this.copied.issues += await this.#send(
      'issues',
      issues.filter(({ pull }) => pull === undefined),
    );
    this.copied.pullRequests += await this.#send(
      'issues',
      issues.filter(({ pull }) => pull !== undefined),
    );
    this.copied.reviews += await this.#send('reviews', reviews);
  }

  async copyComments(): Promise<void> {
    const since = this.#work.imported.comment.updated_at;
    for await (const page of this.#pagesByUpdate('/issues/comments', {}, since))
      this.copied.comments += await this.#send('comments', page.map(commentItem));
  }

  async copyReviewComments(): Promise<void> {
    const since = this.#work.imported.review_comment.updated_at;
    for await (const page of this.#pagesByUpdate('/pulls/comments', {}, since))
      this.copied.reviewComments += await this.#send('review_comments', page.map(reviewCommentItem));
  }

  /** Returns how many are new on the target. The same batch may come twice. */
  async #send<Key extends BatchKey>(key: Key, items: readonly Item<Key>[]): Promise<number> {
    const { target, at, progress } = this.#work;
    let created = 0;
    for (const some of batchesOf(items)) {
      const reply = await target.call('POST', at, { [key]: some });
      if (reply.status !== 200) throw target.failureOf(reply);
      const result = reply.body as BatchResult;
      created += key === 'labels' ? some.length : result.created;
      for (const { reason } of result.left_out) this.#note(reason);
      const { issues, pullRequests, comments } = this.copied;
      const amount = (count: number) => count.toLocaleString('en');
      progress.update(
        `${amount(issues)} issues, ${amount(pullRequests)} pull requests and ${amount(comments)} comments`,
      );
    }
    return created;
  }

  #note(line: string): void {
    if (this.#lines.includes(line)) return;
    if (this.#lines.length < MAX_LINES) this.#lines.push(line);
    else this.#unshown += 1;
  }

  async *#pages(below: string, query: Record<string, string>): AsyncGenerator<SourceReply[]> {
    for (let page = 1; ; page += 1) {
      const items = await this.#page(below, { ...query, page: String(page) });
      if (items.length > 0) yield items;
      if (items.length < PAGE) return;
    }
  }

  /**
   * In the order of their changes, each page from the time that the one before ended with: so nothing is passed over when something is
   * changed or deleted there meanwhile. What stands at such a time comes twice.
   */
  async *#pagesByUpdate(
    below: string,
    query: Record<string, string>,
    since: string | null,
  ): AsyncGenerator<SourceReply[]> {
    const order = { ...query, sort: 'updated', direction: 'asc' };
    let from = since === null ? undefined : Date.parse(since) - 1000;
    for (let page = 1; ;) {
      const start = from === undefined ? {} : { since: new Date(from).toISOString().replace(/\.\d+Z$/, 'Z') };
      const items = await this.#page(below, { ...order, ...start, page: String(page) });
      if (items.length > 0) yield items;
      if (items.length < PAGE) return;
      const last = Date.parse(String(items.at(-1)!['updated_at'])) - 1000;
      const isLater = last > (from ?? Number.NEGATIVE_INFINITY);
      // Another order than the one asked for would never end.
      if (!isLater && from !== undefined && last < from)
        throw new Failure('unavailable', `${this.#work.source.url}${below} is not in the order of changes.`);
      page = isLater ? 1 : page + 1;
      if (isLater) from = last;
    }
  }

  async #page(below: string, query: Record<string, string>): Promise<SourceReply[]> {
    const { source, path } = this.#work;
    const parameters = new URLSearchParams({ ...query, per_page: String(PAGE) });
    const reply = await source.call('GET', `${path}${below}?${parameters.toString()}`);
    // Where issues are switched off, pull requests go on.
    if (reply.status === 410 && below === '/issues') this.#areIssuesOff = true;
    // Switched off, or a part that the source does not have.
    if (reply.status === 404 || reply.status === 410) {
      this.#note(`${source.url}${path}${below} answers ${reply.status}: nothing was copied from there.`);
      return [];
    }
    if (reply.status !== 200 || !Array.isArray(reply.body)) throw source.failureOf(reply);
    return reply.body as SourceReply[];
  }
}

function isPullIn(issue: SourceReply): boolean {
  return issue['pull_request'] !== undefined && issue['pull_request'] !== null;
}

function* batchesOf<T>(items: readonly T[]): Generator<T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item));
    if (batch.length > 0 && (batch.length === PAGE || bytes + size > MAX_BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
