// Lines of logs, as replies show them, and what can be asked for.
import { LINE_LEVELS, type LineLevel } from '../../actors/logs/log-lines.ts';
import { OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';

export const MAX_LINES = 2000;
const USUAL_LINES = 1000;
/** Numbers of matching lines in a reply. */
export const MAX_FOUND_LINES = 5000;

const LineNumber = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }));

export const LogLinesQuery = Type.Object({
  from: LineNumber('The number of the first line'),
  to: LineNumber(`The number of the last line; the call returns at most ${MAX_LINES} lines`),
  after: Type.Optional(
    Type.Integer({ minimum: 0, description: 'To continue behind this line: `next` of the last reply' }),
  ),
  tail: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LINES, description: 'For the last lines, so many' }),
  ),
  level: Type.Optional(
    PlainText({
      maxLength: 100,
      description: `For lines of these levels alone, joined by commas: ${LINE_LEVELS.join(', ')}`,
    }),
  ),
  q: Type.Optional(
    PlainText({
      minLength: 1,
      maxLength: 200,
      description: 'To find the lines of the whole log that have this text. Its case does not matter',
    }),
  ),
});

export const LogLines = Type.Object(
  {
    first: Type.Integer({
      description: 'The number of the first line in `lines`; where there is none, of the first that was read',
    }),
    next: Type.Integer({
      description:
        'Send it as `after` for the lines that follow; there are some if it is smaller than `total`',
    }),
    total: Type.Integer({ description: 'How many lines the log has had, with those that are left out' }),
    isComplete: Type.Boolean({ description: 'Whether the log has ended, and nothing more will come' }),
    omitted: Type.Integer({ description: 'How many lines were left out of the middle of a long log' }),
    gap: Type.Optional(
      Type.Object(
        {
          first: Type.Integer(),
          last: Type.Integer({ description: 'Smaller than `first` in an old log whose lines are not known' }),
          bytes: Type.Integer(),
        },
        { description: 'The numbers of the lines that were left out' },
      ),
    ),
    lines: Type.Array(
      Type.Object(
        {
          number: Type.Integer(),
          at: Type.Optional(Type.Integer({ description: 'When it was printed' })),
          level: Type.Optional(
            OneOf(LINE_LEVELS, {
              description: 'As it is printed; an indented line has that of the line before',
            }),
          ),
          text: Type.String({ description: 'With ANSI escape sequences' }),
        },
        { $id: 'LogLine' },
      ),
    ),
    matches: Type.Optional(
      Type.Object(
        {
          total: Type.Integer(),
          numbers: Type.Array(Type.Integer(), { description: `Of the first ${MAX_FOUND_LINES}` }),
          through: Type.Integer({
            description: 'The last line that was searched; smaller than `total` where time ran out',
          }),
        },
        { description: 'The lines that have the text, of the levels that were asked for' },
      ),
    ),
  },
  { $id: 'LogLines' },
);

export type ShownLogLines = Static<typeof LogLines>;

export interface LineRange {
  from: number;
  to?: number;
  limit: number;
  isTail: boolean;
}

/** Where lines of some levels are wanted, the last ones may be anywhere. */
export function rangeOfQuery(
  { from, to, after, tail }: Static<typeof LogLinesQuery>,
  total: number,
  hasLevels: boolean,
): LineRange {
  if (tail !== undefined) {
    if (from !== undefined || to !== undefined || after !== undefined)
      throw problem('query.tail', 'cannot be combined with from, to or after');
    return { from: hasLevels ? 1 : Math.max(1, total - tail + 1), limit: tail, isTail: true };
  }
  if (from !== undefined && after !== undefined) throw problem('query.after', 'cannot be combined with from');
  const first = after === undefined ? (from ?? 1) : after + 1;
  if (to === undefined) return { from: first, limit: USUAL_LINES, isTail: false };
  if (to < first) throw problem('query.to', 'must not be smaller than the number of the first line');
  return { from: first, to, limit: MAX_LINES, isTail: false };
}

export function parseLevels(text: string | undefined): ReadonlySet<LineLevel> | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  return new Set(
    text.split(',').map((word) => {
      const level = LINE_LEVELS.find((one) => one === word.trim().toUpperCase());
      if (level === undefined) throw problem('query.level', `must be some of ${LINE_LEVELS.join(', ')}`);
      return level;
    }),
  );
}
