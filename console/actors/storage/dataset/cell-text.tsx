// A value in one line of a cell: long texts are cut, objects and lists are named by what they hold.
import { formatCount } from '../../../ui/format.ts';
import { WORDS } from './dataset-words.ts';

const MOST_CHARACTERS = 160;
const MOST_NAMES = 6;

export function CellText({ value }: { value: unknown }) {
  if (value === undefined) return null;
  if (value === null) return <span className="faint">null</span>;
  if (typeof value === 'string') return <span className="ds__cell">{value.slice(0, MOST_CHARACTERS)}</span>;
  if (Array.isArray(value)) return <span className="muted">{WORDS.elements(formatCount(value.length))}</span>;
  if (typeof value === 'object') return <span className="ds__cell mono t12 muted">{namesOf(value)}</span>;
  return <span className="ds__cell">{JSON.stringify(value)}</span>;
}

function namesOf(value: object): string {
  const names = Object.keys(value);
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return `{ ${shown}${names.length > MOST_NAMES ? ', …' : ''} }`;
}
