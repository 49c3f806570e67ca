// The branches of a repository, and its tags: each with its commit, and what can be done with it.
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { download } from '../../lib/signed-link.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatCount } from '../../ui/format.ts';
import { FilterInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import {
  commitHref,
  commitsHref,
  compareHref,
  repositoryHref,
  ruleHref,
  treeHref,
  type RepositoryPlace,
} from '../place.ts';
import { repositoryCall, useBranches, useMatchingRefs, useTags, type RefKind } from '../queries.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import { RuleWords } from '../protection/rule-words.tsx';
import { shortSha, type Branch, type Repository } from '../repository.ts';
import { usePlace } from '../use-place.ts';
import { BRANCHES_WORDS as WORDS } from './branches-words.ts';
import { NewRefDialog } from './new-ref-dialog.tsx';
import { DeleteBranchDialog, DeleteTagDialog, RenameBranchDialog } from './ref-dialogs.tsx';
import '../../styles/lists.css';

export default function BranchesPage() {
  const place = usePlace();
  const kind: RefKind = place.kind === 'tags' ? 'tags' : 'heads';
  const label = kind === 'tags' ? WORDS.tags : WORDS.branches;
  return (
    <RepositoryFrame place={place} tab="branches" crumbs={[{ label }]}>
      {(repository) => <Refs key={kind} place={place} kind={kind} repository={repository} />}
    </RepositoryFrame>
  );
}

interface RefRow {
  name: string;
  sha: string;
  isProtected: boolean;
}

interface RefsProps {
  place: RepositoryPlace;
  kind: RefKind;
  repository: Repository;
}

type Opened = { what: 'new' } | { what: 'rename' | 'delete'; name: string };

function Refs({ place, kind, repository }: RefsProps) {
  const { owner, repo } = place;
  const isTag = kind === 'tags';
  const here = `${repositoryHref(place)}/${isTag ? 'tags' : 'branches'}`;
  const search = useSearchState(here);
  const [, navigate] = useLocation();
  const [typed, setTyped] = useTypedFilter(search);
  const words = search.get('q') ?? '';
  const list = useRefs(place, kind, words);
  const [opened, setOpened] = useState<Opened>();
  const { default_branch: branch, archived, permissions } = repository;
  const canPush = permissions?.push === true;
  const isAdmin = permissions?.admin === true;
  useKeys({ c: () => setOpened({ what: 'new' }) }, { isOn: canPush && !archived });
  const columns = useMemo(
    () =>
      columnsOf({ owner, repo }, kind, branch, {
        canPush,
        isAdmin,
        isArchived: archived,
        onOpen: setOpened,
      }),
    [owner, repo, kind, branch, canPush, isAdmin, archived],
  );
  const close = () => setOpened(undefined);
  const dialog = { place, defaultBranch: branch, onClose: close };
  return (
    <div className="stack stack--16">
      <div className="row row--wrap refbar">
        <Segmented
          label={WORDS.kind}
          value={kind}
          options={[
            { value: 'heads', label: WORDS.branches },
            { value: 'tags', label: WORDS.tags },
          ]}
          onChange={(next) => navigate(`${repositoryHref(place)}/${next === 'tags' ? 'tags' : 'branches'}`)}
        />
        <div className="grow">
          <FilterInput value={typed} onChange={setTyped} label={WORDS.filter} />
        </div>
        {canPush && (
          <Button
            tone="primary"
            icon="plus"
            keys="c"
            disabledReason={archived ? WORDS.archived : undefined}
            onClick={() => setOpened({ what: 'new' })}
          >
            {isTag ? WORDS.newTag : WORDS.newBranch}
          </Button>
        )}
      </div>
      {list.isMany && <p className="muted t13">{WORDS.begins}</p>}
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {list.error !== null ? (
        <ReadProblem error={list.error} onRetry={list.retry} />
      ) : (
        <Table
          label={isTag ? WORDS.tags : WORDS.branches}
          columns={columns}
          rows={list.rows}
          rowKey={({ name }) => name}
          rowHref={({ name }) => treeHref(place, name)}
          isLoading={list.isLoading}
          emptyState={
            words !== '' ? (
              <NoMatch words={WORDS.noMatch} onClear={() => setTyped('')} />
            ) : isTag ? (
              <EmptyState icon="tag" title={WORDS.noTags} text={WORDS.noTagsText} />
            ) : (
              <EmptyState icon="branch" title={WORDS.noBranches} text={WORDS.noBranchesText} />
            )
          }
          footer={<ListFoot list={list} nouns={isTag ? WORDS.tagNouns : WORDS.branchNouns} />}
        />
      )}
      {opened?.what === 'new' && <NewRefDialog {...dialog} kind={kind} />}
      {opened?.what === 'rename' && <RenameBranchDialog {...dialog} name={opened.name} />}
      {opened?.what === 'delete' &&
        (isTag ? (
          <DeleteTagDialog place={place} name={opened.name} onClose={close} />
        ) : (
          <DeleteBranchDialog {...dialog} name={opened.name} />
        ))}
    </div>
  );
}

/** Few are filtered here, by any part of their names; of many, the server finds those that begin so. */
function useRefs(place: RepositoryPlace, kind: RefKind, words: string) {
  const branches = useBranches(place, kind === 'heads');
  const tags = useTags(place, kind === 'tags');
  const list = kind === 'heads' ? branches : tags;
  const isMany = list.hasMore;
  const isAsked = isMany && words !== '';
  const matching = useMatchingRefs(place, kind, words, isAsked);
  const rows = useMemo<RefRow[]>(() => {
    if (isAsked) return (matching.refs ?? []).map((ref) => ({ ...ref, isProtected: false }));
    return [...branches.rows, ...tags.rows]
      .filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()))
      .map((ref) => ({
        name: ref.name,
        sha: ref.commit.sha,
        isProtected: (ref as Partial<Branch>).protected === true,
      }));
    // The rows are made anew for each drawing; what they hold changes with these.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isAsked, JSON.stringify(matching.refs), JSON.stringify(list.rows), words]);
  if (isAsked)
    return {
      ...list,
      rows,
      isMany,
      isLoading: matching.isPending,
      error: matching.error,
      retry: () => void matching.refetch(),
      newCount: 0,
      hasMore: false,
    };
  return { ...list, rows, isMany };
}

interface RowActions {
  canPush: boolean;
  /** Administrators alone see what a rule says. */
  isAdmin: boolean;
  isArchived: boolean;
  onOpen: (opened: Opened) => void;
}

function columnsOf(
  place: RepositoryPlace,
  kind: RefKind,
  defaultBranch: string,
  actions: RowActions,
): TableColumn<RefRow>[] {
  const isBranch = kind === 'heads';
  return [
    {
      id: 'name',
      head: WORDS.name,
      isMain: true,
      cell: ({ name }) => <b className="cut">{name}</b>,
      aside: ({ name, isProtected }) => (
        <>
          {isBranch && name === defaultBranch && <Badge>{WORDS.default}</Badge>}
          {isProtected && <Badge icon="shield">{WORDS.protected}</Badge>}
        </>
      ),
    },
    ...(isBranch && actions.isAdmin
      ? [
          {
            id: 'rule',
            head: WORDS.protection,
            cell: ({ name, isProtected }: RefRow) =>
              isProtected ? (
                <RuleWords place={place} branch={name} />
              ) : (
                <span className="t13 muted">{WORDS.unprotected}</span>
              ),
          },
        ]
      : []),
    {
      id: 'commit',
      head: WORDS.commit,
      cell: ({ sha }) => (
        <span className="nw">
          <Link className="mono t12 ln" href={commitHref(place, sha)}>
            {shortSha(sha)}
          </Link>
          <CopyButton text={sha} label={WORDS.copySha(shortSha(sha))} />
        </span>
      ),
    },
    {
      id: 'actions',
      head: WORDS.actions,
      isEnd: true,
      cell: (row) => (
        <Menu
          trigger={<Button size="sm" tone="ghost" icon="dots" label={WORDS.more(row.name)} />}
          items={itemsOf(place, kind, defaultBranch, row, actions)}
        />
      ),
    },
  ];
}

function itemsOf(
  place: RepositoryPlace,
  kind: RefKind,
  defaultBranch: string,
  { name, isProtected }: RefRow,
  { canPush, isAdmin, isArchived, onOpen }: RowActions,
): MenuItem[] {
  const isBranch = kind === 'heads';
  const archived = isArchived ? WORDS.archived : undefined;
  const isDefault = isBranch && name === defaultBranch;
  const kept = isDefault ? WORDS.isDefault : isProtected ? WORDS.isProtected : undefined;
  const zip = repositoryCall(
    place,
    `/zipball/refs/${kind}/${name.split('/').map(encodeURIComponent).join('/')}`,
  );
  return [
    ...(isDefault
      ? []
      : [
          {
            label: WORDS.compareWith(defaultBranch),
            icon: 'view' as const,
            href: compareHref(place, defaultBranch, name),
          },
        ]),
    { label: WORDS.history, icon: 'history', href: commitsHref(place, name) },
    { label: WORDS.zip, icon: 'dl', onSelect: () => void download(zip) },
    ...(isAdmin && isBranch
      ? [
          {
            label: isProtected ? WORDS.editRule : WORDS.protect,
            icon: 'shield' as const,
            href: ruleHref(place, name),
          },
        ]
      : []),
    ...(canPush && isBranch
      ? [
          {
            label: WORDS.rename,
            icon: 'pen' as const,
            disabledReason: archived,
            onSelect: () => onOpen({ what: 'rename', name }),
          },
        ]
      : []),
    ...(canPush
      ? [
          {
            label: WORDS.delete,
            icon: 'trash' as const,
            tone: 'danger' as const,
            hasLine: true,
            disabledReason: archived ?? kept,
            onSelect: () => onOpen({ what: 'delete', name }),
          },
        ]
      : []),
  ];
}
