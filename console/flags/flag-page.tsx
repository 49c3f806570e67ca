// One flag, to read: what it is, what it serves in each environment, and what was done to it.
import { useParams } from 'wouter';
import { usePageInfo } from '../app/page-info.ts';
import { NextNote } from '../lib/next-note.tsx';
import { ReadProblem } from '../lib/read-problem.tsx';
import { Card, KeyValues } from '../ui/card.tsx';
import { PageHead, Section } from '../ui/page.tsx';
import { Skeleton } from '../ui/states.tsx';
import { Badge, Key, Tag } from '../ui/status.tsx';
import { Table, type TableColumn } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { FlagHistory } from './flag-history.tsx';
import {
  offVariation,
  personName,
  TYPE_ICONS,
  typeName,
  typeOf,
  variationText,
  type Flag,
  type FlagConfig,
  type Variation,
} from './flag.ts';
import { useEnvironments, useFlag } from './queries.ts';
import { OnOff, Serves, VariationMark, VariationName } from './served.tsx';
import { WORDS } from './words.ts';

export default function FlagPage() {
  const { project, flag: key } = useParams<{ project: string; flag: string }>();
  const { data: flag, error, refetch } = useFlag(project, key);
  const list = `/flags/${encodeURIComponent(project)}`;
  usePageInfo([
    { label: WORDS.flags, href: '/flags' },
    { label: project, href: list },
    { label: flag?.name ?? key, href: `${list}/${encodeURIComponent(key)}`, copy: key },
  ]);
  if (flag === undefined)
    return (
      <main id="main" className="page" tabIndex={-1}>
        {error === null ? (
          <Skeleton lines={8} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )}
      </main>
    );
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={flag.name}
        badge={<FlagBadges flag={flag} />}
        meta={flag.description === '' ? WORDS.noDescription : flag.description}
      />
      <div className="cols">
        <div className="stack stack--24">
          <Section title={WORDS.environments}>
            <Environments project={project} flag={flag} />
          </Section>
          <Section title={WORDS.variations}>
            <Variations flag={flag} />
          </Section>
        </div>
        <aside className="stack stack--24" aria-label={WORDS.about}>
          <Card title={WORDS.about}>
            <About flag={flag} />
          </Card>
          <Card title={WORDS.history}>
            <FlagHistory project={project} flag={key} />
          </Card>
        </aside>
      </div>
      <NextNote>{WORDS.flagNext}</NextNote>
    </main>
  );
}

function FlagBadges({ flag }: { flag: Flag }) {
  return (
    <>
      <Badge icon={TYPE_ICONS[typeOf(flag)]}>{typeName(flag)}</Badge>
      {flag.archived && <Badge tone="warn">{WORDS.archived}</Badge>}
      {flag.deprecated && <Badge tone="warn">{WORDS.deprecated}</Badge>}
    </>
  );
}

interface EnvironmentRow {
  key: string;
  isCritical: boolean;
  flag: Flag;
  config: FlagConfig;
}

const ENVIRONMENT_COLUMNS: TableColumn<EnvironmentRow>[] = [
  {
    id: 'environment',
    head: WORDS.environment,
    isMain: true,
    cell: ({ key, config, isCritical }) => (
      <span className="row">
        <span className="two">
          <b className="cut">{config._environmentName}</b>
          <small className="mono cut">{key}</small>
        </span>
        {isCritical && (
          <Badge tone="prod" icon="shield">
            {WORDS.critical}
          </Badge>
        )}
      </span>
    ),
  },
  { id: 'state', head: WORDS.state, cell: ({ config }) => <OnOff isOn={config.on} /> },
  { id: 'serves', head: WORDS.serves, cell: ({ flag, config }) => <Serves flag={flag} config={config} /> },
  {
    id: 'off',
    head: WORDS.whenOff,
    priority: 'low',
    cell: ({ flag, config }) => <WhenOff flag={flag} config={config} />,
  },
  {
    id: 'modified',
    head: WORDS.modified,
    priority: 'mid',
    cell: ({ config }) => <Time at={config.lastModified} />,
  },
];

function Environments({ project, flag }: { project: string; flag: Flag }) {
  const { data } = useEnvironments(project);
  const rows: EnvironmentRow[] = Object.entries(flag.environments ?? {}).map(([key, config]) => ({
    key,
    flag,
    config,
    isCritical: data?.items.find((one) => one.key === key)?.critical === true,
  }));
  return (
    <Table label={WORDS.environments} columns={ENVIRONMENT_COLUMNS} rows={rows} rowKey={({ key }) => key} />
  );
}

function WhenOff({ flag, config }: { flag: Flag; config: FlagConfig }) {
  const index = offVariation(config);
  if (index === undefined) return <span className="muted t12">{WORDS.nothing}</span>;
  return <VariationName flag={flag} index={index} />;
}

interface VariationRow {
  index: number;
  variation: Variation;
}

const VARIATION_COLUMNS: TableColumn<VariationRow>[] = [
  {
    id: 'variation',
    head: WORDS.variation,
    isMain: true,
    cell: ({ index, variation }) => (
      <span className="row">
        <VariationMark index={index} />
        <span className="cut">{variationText(variation)}</span>
      </span>
    ),
  },
  {
    id: 'value',
    head: WORDS.value,
    cell: ({ variation }) => <code className="value-text">{JSON.stringify(variation.value)}</code>,
  },
  {
    id: 'description',
    head: WORDS.description,
    priority: 'mid',
    cell: ({ variation }) => <span className="muted">{variation.description ?? ''}</span>,
  },
];

function Variations({ flag }: { flag: Flag }) {
  const rows = flag.variations.map((variation, index) => ({ index, variation }));
  return (
    <Table
      label={WORDS.variations}
      columns={VARIATION_COLUMNS}
      rows={rows}
      rowKey={({ variation }) => variation._id}
    />
  );
}

function About({ flag }: { flag: Flag }) {
  const { key, tags, temporary, creationDate, _maintainer, _maintainerTeam } = flag;
  const maintainer = _maintainerTeam?.name ?? (_maintainer && personName(_maintainer)) ?? WORDS.nobody;
  return (
    <KeyValues
      items={[
        [
          WORDS.key,
          <Key key="key" copyLabel={WORDS.copyKey(key)}>
            {key}
          </Key>,
        ],
        [WORDS.maintainer, maintainer],
        [
          WORDS.tags,
          tags.length === 0 ? (
            WORDS.none
          ) : (
            <span key="tags" className="row row--4 row--wrap">
              {tags.map((tag) => (
                <Tag key={tag}>{tag}</Tag>
              ))}
            </span>
          ),
        ],
        [WORDS.lifetime, temporary ? WORDS.temporary : WORDS.permanent],
        [WORDS.created, <Time key="created" at={creationDate} />],
      ]}
    />
  );
}
