// The reply of GET /meta, and the lines of GET /zen.
import { Type } from '../../kernel/schema/schema.ts';

export const ServerMeta = Type.Object(
  { verifiable_password_authentication: Type.Boolean(), installed_version: Type.String() },
  { $id: 'api-overview' },
);

export const PROVERBS = [
  'A signal that is always red teaches nobody anything.',
  'Write it down before you say it is done.',
  'The smallest change that can be taken back is the best one.',
  'One track, one train.',
  'Slow is a number; measure it.',
  'An error should end with what to do next.',
  'What is named well needs no map.',
  'Delete it twice; the second time it stays gone.',
  'The lever that is never pulled rusts first.',
  'Keep the promise, then improve it.',
] as const;

/** A signal box beside the line. */
const PICTURE = String.raw`
      \
       \    ______________
        \  /______________\     .-.
          |  _   _   _   |    ( O )
          | |_| |_| |_|  |    | o |
          |______________|    '-|-'
          |   __    ||   |      |
          |  |__|   ||   |      |
   =======|_________||___|======|=========
   -|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-
   =======================================
`;

/** Without characters that would move the cursor of a terminal. */
export function drawPicture(words: string): string {
  const said = words.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
  const line = '-'.repeat([...said].length + 2);
  return ` .${line}.\n | ${said} |\n '${line}'${PICTURE}`;
}
