// Requests that create and change issues: their schemas, and the rules for what they contain.
import { Failure } from '../../kernel/failure.ts';
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { checkedLabelName } from '../labels/requests.ts';
import {
  ISSUE_STATES,
  LOCK_REASONS,
  MAX_ASSIGNEES,
  MAX_BODY_LENGTH,
  MAX_LABELS,
  MAX_TITLE_LENGTH,
  STATE_REASONS,
} from './issue.ts';

const Title = Type.Union([PlainText(), Type.Number()], {
  description: `At most ${MAX_TITLE_LENGTH} characters`,
});

const SentLabel = Type.Union([
  PlainText(),
  Type.Object({
    id: Type.Optional(Type.Integer()),
    name: PlainText(),
    description: Type.Optional(Nullable(PlainText())),
    color: Type.Optional(Nullable(PlainText())),
  }),
]);

/** More are refused by the rules, in their own words; this bounds the work until then. */
const MAX_SENT = 1000;

const Logins = Type.Array(PlainText(), {
  maxItems: MAX_SENT,
  description: `Logins. At most ${MAX_ASSIGNEES}`,
});

const PARTS = {
  labels: Type.Optional(
    Type.Array(SentLabel, {
      maxItems: MAX_SENT,
      description: `Names, or objects with a name. At most ${MAX_LABELS}; those that the repository does not have are created`,
    }),
  ),
  assignees: Type.Optional(Logins),
  assignee: Type.Optional(Nullable(PlainText({ description: 'One login; `assignees` takes its place' }))),
  milestone: Type.Optional(
    Nullable(Type.Union([Type.Integer(), PlainText()], { description: 'Its number' })),
  ),
};

const Body = Type.Optional(
  Nullable(PlainText({ description: `Markdown. At most ${MAX_BODY_LENGTH} characters` })),
);

export const IssueCreation = Type.Object({ title: Title, body: Body, ...PARTS }, { $id: 'issue-creation' });

export const IssuePatch = Type.Object(
  {
    title: Type.Optional(Nullable(Title)),
    body: Body,
    state: Type.Optional(OneOf(ISSUE_STATES)),
    state_reason: Type.Optional(
      Nullable(OneOf(STATE_REASONS, { description: 'Has no effect unless the state changes' })),
    ),
    ...PARTS,
  },
  { $id: 'issue-patch' },
);

export const IssueLock = Type.Object(
  { lock_reason: Type.Optional(Nullable(OneOf(LOCK_REASONS))) },
  { $id: 'issue-lock' },
);

export const AssigneesAddition = Type.Object(
  { assignees: Type.Optional(Logins) },
  { $id: 'assignees-addition' },
);
export const AssigneesRemoval = Type.Object({ assignees: Logins }, { $id: 'assignees-removal' });

/** What stands in tables of its own. Absent where the request leaves it as it is. */
export interface SentParts {
  labelNames?: readonly string[];
  logins?: readonly string[];
  /** The number of the milestone; null for none. */
  milestone?: number | null;
}

type SentBody = Partial<Pick<Static<typeof IssuePatch>, 'labels' | 'assignees' | 'assignee' | 'milestone'>>;

export function sentPartsOf({ labels, assignees, assignee, milestone }: SentBody): SentParts {
  const logins = assignees ?? (assignee === undefined ? undefined : assignee ? [assignee] : []);
  return {
    ...(labels && { labelNames: labels.map((label) => checkedLabelName('labels', nameOf(label))) }),
    ...(logins && { logins }),
    ...(milestone !== undefined && { milestone: milestone === null ? null : milestoneIn(milestone) }),
  };
}

function nameOf(label: Static<typeof SentLabel>): string {
  return typeof label === 'string' ? label : label.name;
}

/** Numbers are also sent as text. What is no number is the number of no milestone. */
function milestoneIn(sent: string | number): number {
  const number = Number(sent);
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}

export function checkedTitle(sent: string | number): string {
  const title = String(sent).trim();
  if (title === '') throw invalidField('title', 'is missing', 'missing_field');
  if (isLonger(title, MAX_TITLE_LENGTH)) throw tooLong('title', MAX_TITLE_LENGTH);
  return title;
}

/** Of issues, pull requests, comments and reviews. */
export function checkedBody<Body extends string | null>(body: Body): Body {
  if (body !== null && isLonger(body, MAX_BODY_LENGTH)) throw tooLong('body', MAX_BODY_LENGTH);
  return body;
}

/** In characters, which may be two code units each. */
function isLonger(text: string, max: number): boolean {
  if (text.length <= max) return false;
  return text.length > 2 * max || Array.from(text).length > max;
}

/** The words that clients compare. */
function tooLong(field: string, max: number): Failure {
  return invalidField(field, `is too long (maximum is ${max} characters)`, 'custom');
}

/** With a code of the vendor's: `missing_field`, `invalid`, `already_exists`, `custom`. The message continues after the field. */
export function invalidField(field: string, message: string, code: string): Failure {
  return new Failure('invalid', `${field} ${message}`, { code, fields: [{ field, message }] });
}
