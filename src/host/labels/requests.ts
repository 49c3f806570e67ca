// The requests about labels, and the rules for their names and colors.
import { Nullable, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import { MAX_LABELS } from '../issues/issue.ts';

const MAX_NAME_LENGTH = 50;
/** Of labels that are created because somebody adds them to an issue, or without a color. */
export const PLAIN_COLOR = 'ededed';

const Color = Type.String({
  pattern: '^[0-9A-Fa-f]{6}$',
  description: 'Six hexadecimal digits, without `#`',
});
const Description = Nullable(PlainText({ maxLength: 100 }));
const NAME =
  'At most 50 characters. Case does not count: a repository has no two labels that differ in it alone.';

export const LabelCreation = Type.Object(
  {
    name: PlainText({ description: NAME }),
    color: Type.Optional(Color),
    description: Type.Optional(Description),
  },
  { $id: 'label-creation' },
);

export const LabelUpdate = Type.Object(
  {
    new_name: Type.Optional(PlainText({ description: NAME })),
    color: Type.Optional(Color),
    description: Type.Optional(Description),
  },
  { $id: 'label-update' },
);

const SentLabels = Type.Array(Type.Union([PlainText(), Type.Object({ name: PlainText() })]), {
  maxItems: MAX_LABELS,
});

/** The list may also be the whole body, and so may the name of one label. */
export const IssueLabels = Type.Union([Type.Object({ labels: SentLabels }), SentLabels, PlainText()]);

/** Checked, and each once: of names that differ in case alone, the first. */
export function sentNames(sent: Static<typeof IssueLabels>): string[] {
  const labels = typeof sent === 'string' ? [sent] : 'labels' in sent ? sent.labels : sent;
  const names = new Map<string, string>();
  for (const label of labels) {
    const name = checkedLabelName('name', typeof label === 'string' ? label : label.name);
    if (!names.has(foldCase(name))) names.set(foldCase(name), name);
  }
  return [...names.values()];
}

export function checkedLabelName(field: string, sent: string): string {
  const name = sent.trim().toWellFormed();
  if (name === '') throw problem(field, 'must not be empty');
  if ([...name].length > MAX_NAME_LENGTH)
    throw problem(field, `is too long (maximum is ${MAX_NAME_LENGTH} characters)`);
  if (/\p{Cc}/u.test(name)) throw problem(field, 'must not have control characters');
  return name;
}
