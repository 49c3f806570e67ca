// The labels that new repositories begin with.
import { foldCase } from '../../kernel/text/fold-case.ts';
import type { LabelFields } from './model.ts';

export const DEFAULT_LABELS: readonly LabelFields[] = [
  { name: 'bug', color: 'd73a4a', description: 'A fault in what is there' },
  { name: 'documentation', color: '0075ca', description: 'About texts that explain' },
  { name: 'duplicate', color: 'cfd3d7', description: 'Another one says the same' },
  { name: 'enhancement', color: 'a2eeef', description: 'A wish for something new or better' },
  { name: 'good first issue', color: '7057ff', description: 'Suits somebody who is new here' },
  { name: 'help wanted', color: '008672', description: 'Nobody works on it, and help is welcome' },
  { name: 'invalid', color: 'e4e669', description: 'Cannot be worked on as it is' },
  { name: 'question', color: 'd876e3', description: 'Asks for an explanation' },
  { name: 'wontfix', color: 'ffffff', description: 'Stays as it is' },
];

const NAMES = new Set(DEFAULT_LABELS.map(({ name }) => foldCase(name)));

/** Whether new repositories have a label of that name. */
export function isDefaultLabel(name: string): boolean {
  return NAMES.has(foldCase(name));
}
