// The columns of the list of segments.
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Badge, Tag } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { sizeOf, type Segment } from './segment.ts';
import { SEGMENTS } from './segments-words.ts';

const MAX_TAGS = 3;

export const SEGMENT_COLUMNS: TableColumn<Segment>[] = [
  {
    id: 'segment',
    head: SEGMENTS.segment,
    isMain: true,
    sort: 'name',
    cell: ({ name, key }) => (
      <span className="two">
        <b className="cut">{name}</b>
        <small className="mono cut">{key}</small>
      </span>
    ),
    aside: ({ key }) => <CopyButton text={key} label={SEGMENTS.copyKey(key)} />,
  },
  {
    id: 'kind',
    head: SEGMENTS.kind,
    priority: 'mid',
    cell: ({ unbounded }) =>
      unbounded ? <Badge icon="disk">{SEGMENTS.big}</Badge> : <span className="muted">{SEGMENTS.list}</span>,
  },
  {
    id: 'included',
    head: SEGMENTS.included,
    align: 'end',
    cell: (segment) => (isCounted(segment) ? formatCount(sizeOf(segment).included) : '–'),
  },
  {
    id: 'excluded',
    head: SEGMENTS.excluded,
    align: 'end',
    priority: 'mid',
    cell: (segment) => (isCounted(segment) ? formatCount(sizeOf(segment).excluded) : '–'),
  },
  {
    id: 'rules',
    head: SEGMENTS.rules,
    align: 'end',
    cell: ({ rules, unbounded }) => (unbounded ? '–' : formatCount(rules.length)),
  },
  {
    id: 'tags',
    head: SEGMENTS.tags,
    priority: 'low',
    cell: ({ tags }) => (
      <span className="row row--4">
        {tags.slice(0, MAX_TAGS).map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
        {tags.length > MAX_TAGS && <span className="muted">+{tags.length - MAX_TAGS}</span>}
      </span>
    ),
  },
  {
    id: 'modified',
    head: SEGMENTS.modified,
    sort: 'lastModified',
    priority: 'mid',
    cell: ({ lastModifiedDate }) => <Time at={lastModifiedDate} />,
  },
];

/** Lists say nothing about the members of big segments. */
function isCounted({ unbounded, _unboundedMetadata }: Segment): boolean {
  return !unbounded || _unboundedMetadata !== undefined;
}
