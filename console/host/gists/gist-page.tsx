// One gist: its files, its revisions, its forks, and what was said about it.
import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { useMe } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useKeys } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { CloneButton } from '../files/clone.tsx';
import { loginOf } from '../issues/issue.ts';
import { gistHref, titleOf, type Gist } from './gist.ts';
import { GistComments } from './gist-comments.tsx';
import { GistFiles } from './gist-files.tsx';
import { GistRevisions } from './gist-revisions.tsx';
import { GistTable, GistVisibility } from './gist-table.tsx';
import { useDeleteGist, useFork, useForks, useGist, useIsStarred, useStar } from './gists-queries.ts';
import { GIST, GISTS } from './gists-words.ts';
import '../../styles/lists.css';
import '../../styles/files.css';
import '../../styles/gists.css';

const TABS = ['files', 'revisions', 'forks'] as const;

export default function GistPage() {
  const { id, tab } = useParams<{ id: string; tab?: string }>();
  const { data: gist, error, refetch } = useGist(id);
  const name = gist === undefined ? id : titleOf(gist);
  usePageInfo([
    { label: GISTS.title, href: '/gists' },
    { label: name, copy: id },
  ]);
  return (
    <main id="main" className="page" tabIndex={-1}>
      {gist !== undefined ? (
        <GistView key={id} gist={gist} tab={TABS.find((one) => one === tab) ?? 'files'} />
      ) : error === null ? (
        <Skeleton lines={10} />
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} />
      )}
    </main>
  );
}

function GistView({ gist, tab }: { gist: Gist; tab: (typeof TABS)[number] }) {
  const { id } = gist;
  return (
    <>
      <GistHead gist={gist} />
      <Tabs
        label={GIST.tabsLabel}
        items={TABS.map((one) => ({
          href: gistHref(id, one === 'files' ? '' : `/${one}`),
          label: GIST.tabs[one],
          isCurrent: one === tab,
        }))}
      />
      {tab === 'files' ? (
        <div className="stack stack--16">
          <GistFiles gist={gist} />
          <GistComments gist={gist} />
        </div>
      ) : tab === 'revisions' ? (
        <GistRevisions id={id} />
      ) : (
        <Forks id={id} />
      )}
    </>
  );
}

function GistHead({ gist }: { gist: Gist }) {
  const { id, owner, description, fork_of: parent } = gist;
  const { data: me } = useMe();
  const isOwn = me !== undefined && me.username === loginOf(owner);
  const [, navigate] = useLocation();
  const fork = useFork(id);
  useKeys({ e: () => navigate(gistHref(id, '/edit')) }, { isOn: isOwn });
  return (
    <>
      <PageHead
        title={<span className="gist__t">{titleOf(gist)}</span>}
        badge={<GistVisibility gist={gist} />}
        meta={
          <>
            <p>{description || GISTS.noDescription}</p>
            <p className="t13">
              {GIST.by} <b>{loginOf(owner)}</b>, {GIST.updated} <Time at={gist.updated_at} />
              {parent != null && (
                <>
                  , {GIST.forkedFrom}{' '}
                  <Link className="ln" href={gistHref(parent.id)}>
                    {loginOf(parent.owner)} / {titleOf(parent)}
                  </Link>
                </>
              )}
              {!gist.public && `. ${GIST.secretText}`}
            </p>
          </>
        }
        actions={
          <>
            <StarButton id={id} />
            {me !== undefined && !isOwn && (
              <Button
                icon="fork"
                isBusy={fork.isPending}
                onClick={() => fork.mutate(undefined, { onSuccess: (made) => navigate(gistHref(made.id)) })}
              >
                {GIST.fork}
              </Button>
            )}
            {isOwn && (
              <ButtonLink icon="pen" keys="e" href={gistHref(id, '/edit')}>
                {GIST.edit}
              </ButtonLink>
            )}
            <CloneButton repository={{ clone_url: gist.git_pull_url }} />
            {isOwn && <OwnerMenu gist={gist} />}
          </>
        }
      />
      <ChangeError error={fork.error} />
    </>
  );
}

/** Shown at once, since a further press takes it back. */
function StarButton({ id }: { id: string }) {
  const { data } = useIsStarred(id);
  const star = useStar(id);
  const isStarred = star.isPending ? star.variables : (data ?? false);
  return (
    <>
      <Button icon="star" aria-pressed={isStarred} onClick={() => star.mutate(!isStarred)}>
        {GIST.star}
      </Button>
      <ChangeError error={star.error} />
    </>
  );
}

function OwnerMenu({ gist }: { gist: Gist }) {
  const name = titleOf(gist);
  const [, navigate] = useLocation();
  const [isAsked, setAsked] = useState(false);
  const remove = useDeleteGist(gist.id);
  const end = () => {
    toast({ text: GIST.deleted(name) });
    navigate('/gists', { replace: true });
  };
  return (
    <>
      <Menu
        trigger={<Button icon="dots" label={GIST.more} />}
        items={[{ label: GIST.delete, icon: 'trash', tone: 'danger', onSelect: () => setAsked(true) }]}
      />
      {isAsked && (
        <ConfirmDialog
          title={GIST.deleteTitle(name)}
          confirmLabel={GIST.deleteConfirm}
          tone="danger"
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onConfirm={() => remove.mutate(undefined, { onSuccess: end })}
          onClose={() => setAsked(false)}
        >
          {GIST.deleteText}
        </ConfirmDialog>
      )}
    </>
  );
}

function Forks({ id }: { id: string }) {
  const list = useForks(id);
  if (list.error !== null) return <ReadProblem error={list.error} onRetry={list.retry} />;
  return (
    <GistTable
      label={GIST.tabs.forks}
      rows={list.rows}
      hasOwner
      isLoading={list.isLoading}
      emptyState={<EmptyState icon="fork" {...GISTS.empty.forks} />}
      footer={<ListFoot list={list} nouns={GISTS.nouns} />}
    />
  );
}
