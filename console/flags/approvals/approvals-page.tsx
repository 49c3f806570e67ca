// The inbox of approvals: what waits for a review, what can be applied, one's own, and what has ended.
import '../../styles/lists.css';
import { prefetch } from '../../api/read.ts';
import { path } from '../../api/call.ts';
import { useMe } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Chips } from '../../ui/chips.tsx';
import { formatCount } from '../../ui/format.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Tag } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { MemberName } from '../people.tsx';
import { ApprovalState } from './approval-state.tsx';
import { placeOf, type Approval } from './approval.ts';
import { TABS, useApprovals, type ApprovalTab } from './approvals-queries.ts';
import { APPROVALS } from './approvals-words.ts';

const PAGE = '/approvals';

export default function ApprovalsPage() {
  usePageInfo([{ label: APPROVALS.title, href: PAGE }]);
  const state = useSearchState(PAGE);
  const asked = state.get('tab');
  const tab: ApprovalTab = TABS.find((one) => one === asked) ?? 'review';
  const isAsked = state.get('asked') !== undefined;
  const { data: me } = useMe();
  const list = useApprovals(tab, me?.member.id, isAsked);
  const empty = APPROVALS.empty[tab];
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={APPROVALS.title} meta={APPROVALS.text} />
      <Tabs
        label={APPROVALS.tabsLabel}
        items={TABS.map((one) => ({
          href: one === 'review' ? PAGE : `${PAGE}?tab=${one}`,
          label: APPROVALS.tabs[one],
          count: one === tab ? list.total : undefined,
          isCurrent: one === tab,
        }))}
      />
      {tab === 'review' && (
        <div className="list-chips">
          <Chips
            label={APPROVALS.filters}
            items={[
              {
                label: APPROVALS.askedOnly,
                isOn: isAsked,
                onToggle: () => state.set({ asked: isAsked ? undefined : '1' }),
              },
            ]}
          />
        </div>
      )}
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {list.error !== null ? (
        <ReadProblem error={list.error} onRetry={list.retry} />
      ) : (
        <Table
          label={APPROVALS.table}
          columns={COLUMNS}
          rows={list.rows}
          rowKey={({ _id }) => _id}
          rowHref={({ _id }) => `${PAGE}/${encodeURIComponent(_id)}`}
          onPrefetch={({ _id }) =>
            prefetch({ call: { api: 'flags', path: path`/approval-requests/${_id}` }, topics: ['flag'] })
          }
          isLoading={list.isLoading}
          rowCount={list.total}
          emptyState={<EmptyState icon="check" title={empty.title} text={empty.text} />}
          footer={<ListFoot list={list} nouns={APPROVALS.nouns} />}
        />
      )}
    </main>
  );
}

const COLUMNS: TableColumn<Approval>[] = [
  {
    id: 'request',
    head: APPROVALS.columns.request,
    isMain: true,
    cell: ({ description }) => (
      <b className="cut">{description === '' ? APPROVALS.noDescription : description}</b>
    ),
  },
  {
    id: 'flag',
    head: APPROVALS.columns.flag,
    cell: (approval) => {
      const { project, flag } = placeOf(approval);
      return (
        <span className="two">
          <span className="mono cut">{flag}</span>
          <small className="cut">{project}</small>
        </span>
      );
    },
  },
  {
    id: 'where',
    head: APPROVALS.columns.where,
    cell: (approval) => <Tag>{placeOf(approval).environment}</Tag>,
  },
  {
    id: 'by',
    head: APPROVALS.columns.by,
    priority: 'mid',
    cell: ({ requestorId }) => <MemberName id={requestorId} />,
  },
  {
    id: 'state',
    head: APPROVALS.columns.state,
    cell: (approval) => <ApprovalState approval={approval} />,
  },
  {
    id: 'age',
    head: APPROVALS.columns.age,
    cell: ({ creationDate }) => <Time at={creationDate} />,
  },
];
