// Row 13 of the catalogue: JavaScript and TypeScript are one language of the default setup; before, each was listed beside both.
import { OneOf, Type } from '../../../kernel/schema/schema.ts';
import { change } from '../../../kernel/versions/version.ts';
import { DefaultSetup, SCANNED_LANGUAGES, type ScannedLanguage } from '../../code-scanning-setup/model.ts';

const SEPARATE_NAMES = ['javascript', 'typescript'] as const;
type FormerLanguage = ScannedLanguage | (typeof SEPARATE_NAMES)[number];

export const setupLanguagesRemoved = change({
  version: '2026-03-10',
  title: 'Languages `javascript` and `typescript` removed from the default setup of code scanning',
  advice: 'Look for `javascript-typescript`, which stands for both in every version.',
  schema: DefaultSetup,
  before: Type.Object(
    {
      ...DefaultSetup.properties,
      languages: Type.Array(OneOf([...SCANNED_LANGUAGES, ...SEPARATE_NAMES])),
    },
    { $id: 'code-scanning-default-setup' },
  ),
  down: (setup) => ({ ...setup, languages: withSeparateNames(setup.languages) }),
});

function withSeparateNames(languages: readonly ScannedLanguage[]): FormerLanguage[] {
  return languages.includes('javascript-typescript')
    ? [...languages, ...SEPARATE_NAMES].toSorted()
    : [...languages];
}
