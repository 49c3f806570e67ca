// What calls about comments on lines send, and what of it is refused.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { MAX_BODY_LENGTH } from '../issues/issue.ts';
import { checkedBody, invalidField } from '../issues/requests.ts';
import { DIFF_SIDES, MAX_COMMENTS_AT_ONCE, SUBJECT_TYPES, type WantedComment } from './review-comment.ts';

/** Its length is checked by `checkedCommentBody`, whose error has the words that clients know. */
const Body = PlainText({ description: `Markdown, at most ${MAX_BODY_LENGTH} characters` });
const Line = Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })));
const Side = Type.Optional(Nullable(OneOf(DIFF_SIDES)));

const PLACE = {
  line: Line,
  side: Side,
  start_line: Line,
  start_side: Type.Optional(
    Nullable(OneOf([...DIFF_SIDES, 'side'], { description: '`side` if absent, or `side`' })),
  ),
  position: Line,
  subject_type: Type.Optional(
    Nullable(OneOf(SUBJECT_TYPES, { description: '`file` for a comment on a file as a whole' })),
  ),
};

const Path = PlainText({
  minLength: 1,
  maxLength: 4096,
  description: 'A file that the pull request changes',
});

export const ReviewCommentPost = Type.Object(
  {
    body: Body,
    commit_id: Type.Optional(PlainText({ description: 'A commit of the pull request. Its head if absent' })),
    path: Type.Optional(Path),
    ...PLACE,
    in_reply_to: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'A comment that it replies to; all others but `body` then have no effect',
        }),
      ),
    ),
  },
  { $id: 'pull-request-review-comment-create' },
);

export const ReviewCommentBody = Type.Object({ body: Body }, { $id: 'pull-request-review-comment-body' });

/** The comments of a new review. */
export const ReviewCommentDrafts = Type.Array(Type.Object({ path: Path, body: Body, ...PLACE }), {
  maxItems: MAX_COMMENTS_AT_ONCE,
});

type SentPlace = Pick<Static<typeof ReviewCommentPost>, keyof typeof PLACE>;

/** With a body that is checked. */
export function wantedCommentOf(sent: { path: string; body: string } & SentPlace): WantedComment {
  const { path, body, line, side, start_line: startLine, start_side: startSide } = sent;
  return {
    path,
    body: checkedCommentBody(body),
    subjectType: sent.subject_type ?? undefined,
    line: line ?? undefined,
    side: side ?? undefined,
    startLine: startLine ?? undefined,
    startSide: startSide === 'side' ? undefined : (startSide ?? undefined),
    position: sent.position ?? undefined,
  };
}

/** White space alone says nothing. */
export function checkedCommentBody(body: string): string {
  if (body.trim() === '') throw invalidField('body', "can't be blank", 'missing_field');
  return checkedBody(body);
}
