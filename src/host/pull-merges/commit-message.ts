// The messages of merge commits and squashed ones: what the caller sends, or what the repository's settings say. Pure.
import type { RepositorySettings } from '../repositories/repository.ts';

/** What a caller may send instead. */
export interface SentMessage {
  title?: string | undefined;
  message?: string | undefined;
}

export interface MergedPull {
  number: number;
  title: string;
  body: string | null;
  /** `owner/branch`, or the branch alone where the owner is gone. */
  from: string;
}

type MergeSettings = Pick<RepositorySettings, 'mergeCommitTitle' | 'mergeCommitMessage'>;
type SquashSettings = Pick<RepositorySettings, 'squashMergeCommitTitle' | 'squashMergeCommitMessage'>;

/** Of all messages of commits together: their authors may be hostile. */
const MAX_LENGTH = 65_536;

export function mergeMessage(
  { mergeCommitTitle, mergeCommitMessage }: MergeSettings,
  { number, title, body, from }: MergedPull,
  sent: SentMessage,
): string {
  const titles = {
    MERGE_MESSAGE: `Merge pull request #${number} from ${from}`,
    PR_TITLE: `${title} (#${number})`,
  };
  const messages = { PR_TITLE: title, PR_BODY: body ?? '', BLANK: '' };
  return join([sent.title?.trim() || titles[mergeCommitTitle], sent.message ?? messages[mergeCommitMessage]]);
}

export interface SquashedCommits {
  /** The messages of the commits, the oldest first. */
  messages: readonly string[];
  /** As `Name <address>`. */
  coAuthors: readonly string[];
}

export function squashMessage(
  { squashMergeCommitTitle, squashMergeCommitMessage }: SquashSettings,
  { number, title, body }: MergedPull,
  { messages, coAuthors }: SquashedCommits,
  sent: SentMessage,
): string {
  const [only, ...others] = messages;
  const single = only !== undefined && others.length === 0 ? split(only) : undefined;
  const titles = { PR_TITLE: title, COMMIT_OR_PR_TITLE: single?.title || title };
  const bodies = {
    PR_BODY: () => body ?? '',
    COMMIT_MESSAGES: () => single?.body ?? listed(messages),
    BLANK: () => '',
  };
  const text = sent.message ?? bodies[squashMergeCommitMessage]();
  const known = text.toLowerCase();
  const trailers = coAuthors
    .map((person) => `Co-authored-by: ${person}`)
    .filter((line) => !known.includes(line.toLowerCase()));
  return join([
    sent.title?.trim() || `${titles[squashMergeCommitTitle]} (#${number})`,
    text,
    trailers.join('\n'),
  ]);
}

function split(message: string): { title: string; body: string } {
  const [title = '', ...lines] = message.trim().split('\n');
  return { title: title.trim(), body: lines.join('\n').trim().slice(0, MAX_LENGTH) };
}

/** Those that fit. */
function listed(messages: readonly string[]): string {
  let left = MAX_LENGTH;
  const points: string[] = [];
  for (const message of messages) {
    const point = `* ${message.trim()}`;
    left -= point.length + 2;
    if (left < 0) break;
    points.push(point);
  }
  return points.join('\n\n');
}

/** With an empty line between the parts. Texts of web pages have other line ends than git. */
function join(parts: readonly string[]): string {
  return parts
    .map((part) => part.replaceAll('\r\n', '\n').trim())
    .filter((part) => part !== '')
    .join('\n\n');
}
