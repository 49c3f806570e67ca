// The roles of the account: the custom ones with their holders, and the base roles in words.
import '../../styles/lists.css';
import '../../styles/policy.css';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { prefetch } from '../../api/read.ts';
import { useMay } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { FilterInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { PageHead, Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { ROLE_NAMES, ROLE_TEXTS } from '../members/members-words.ts';
import {
  roleHref,
  roleRead,
  ROLES_PAGE,
  useRoles,
  useTokensWithRoles,
  type CustomRole,
} from './roles-queries.ts';
import { HOLDERS, ROLES } from './roles-words.ts';

const CREATING = [{ action: 'createRole', resource: 'role/*' }];

export default function RolesPage() {
  usePageInfo([{ label: ROLES.account }, { label: ROLES.title }]);
  const state = useSearchState(ROLES_PAGE);
  const [typed, setTyped] = useTypedFilter(state);
  const list = useRoles();
  const words = (state.get('q') ?? '').toLowerCase();
  // The API has no search for roles: a filter reads them all.
  const { hasMore, isReadingMore, readMore } = list;
  useEffect(() => {
    if (words !== '' && hasMore && !isReadingMore) readMore();
  });
  const rows = list.rows.filter(({ key, name }) => `${name} ${key}`.toLowerCase().includes(words));
  const tokens = useTokensWithRoles();
  const [, navigate] = useLocation();
  const may = useMay(CREATING)?.[0];
  useKeys({ c: () => navigate(`${ROLES_PAGE}/new`) }, { isOn: may !== false });
  const createButton = (
    <ButtonLink
      tone="primary"
      icon="plus"
      keys="c"
      href={`${ROLES_PAGE}/new`}
      disabledReason={may === false ? ROLES.mayNotCreate : undefined}
    >
      {ROLES.create}
    </ButtonLink>
  );
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={ROLES.title}
        meta={ROLES.text}
        actions={
          <>
            <ButtonLink href="/account/tester" icon="shield">
              {ROLES.tester}
            </ButtonLink>
            {createButton}
          </>
        }
      />
      <div className="stack stack--24">
        <Section title={ROLES.custom}>
          <div className="row row--wrap list-bar">
            <div className="grow">
              <FilterInput value={typed} onChange={setTyped} label={ROLES.filter} />
            </div>
          </div>
          {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
          {list.error !== null ? (
            <ReadProblem error={list.error} onRetry={list.retry} />
          ) : (
            <Table
              label={ROLES.table}
              columns={columnsOf(tokens)}
              rows={rows}
              rowKey={({ key }) => key}
              rowLabel={({ name }) => name}
              rowHref={roleHref}
              onPrefetch={({ key }) => prefetch(roleRead(key))}
              isLoading={list.isLoading}
              emptyState={
                words === '' ? (
                  <EmptyState
                    icon="shield"
                    title={ROLES.empty.title}
                    text={ROLES.empty.text}
                    action={may === true ? createButton : undefined}
                  />
                ) : (
                  <NoMatch words={ROLES.noMatch} onClear={() => setTyped('')} />
                )
              }
              footer={<ListFoot list={words === '' ? list : { rows }} nouns={ROLES.nouns} />}
            />
          )}
        </Section>
        <Section title={ROLES.base}>
          <p className="t13 muted pol__note">{ROLES.baseText}</p>
          <dl className="card pol__base">
            {Object.entries(ROLE_NAMES).map(([role, name]) => (
              <div key={role}>
                <dt className="w5">{name}</dt>
                <dd className="muted">{ROLE_TEXTS[role]}</dd>
              </div>
            ))}
          </dl>
        </Section>
      </div>
    </main>
  );
}

function columnsOf(tokens: ReturnType<typeof useTokensWithRoles>): TableColumn<CustomRole>[] {
  const { columns } = ROLES;
  return [
    {
      id: 'name',
      head: columns.name,
      isMain: true,
      cell: ({ name, key, description }) => (
        <span className="two">
          <b className="cut">
            {name} <code className="key">{key}</code>
          </b>
          {description !== '' && <small className="cut">{description}</small>}
        </span>
      ),
    },
    {
      id: 'base',
      head: columns.base,
      priority: 'mid',
      cell: ({ basePermissions }) => ROLES.bases[basePermissions] ?? basePermissions,
    },
    {
      id: 'statements',
      head: columns.statements,
      align: 'end',
      priority: 'low',
      cell: ({ policy }) => formatCount(policy.length),
    },
    {
      id: 'members',
      head: columns.members,
      align: 'end',
      cell: ({ assignedTo }) => formatCount(assignedTo?.membersCount ?? 0),
    },
    {
      id: 'teams',
      head: columns.teams,
      align: 'end',
      cell: ({ assignedTo }) => formatCount(assignedTo?.teamsCount ?? 0),
    },
    {
      id: 'tokens',
      head: columns.tokens,
      align: 'end',
      priority: 'mid',
      cell: (role) => {
        const found = tokens.tokensOf(role)?.length;
        if (found === undefined) return '';
        return tokens.isWhole ? formatCount(found) : HOLDERS.atLeast(found);
      },
    },
  ];
}
