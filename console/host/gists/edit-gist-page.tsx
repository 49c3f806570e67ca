// The files and the description of a gist, changed. Only what differs is sent, as one revision.
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { useMe } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { loginOf } from '../issues/issue.ts';
import { gistHref, titleOf, type Gist } from './gist.ts';
import { changeCall, draftOf } from './gist-draft.ts';
import { GistForm } from './gist-form.tsx';
import { useGist, useSaveGist } from './gists-queries.ts';
import { GIST, GIST_FORM, GISTS } from './gists-words.ts';

export default function EditGistPage() {
  const { id } = useParams<{ id: string }>();
  const { data: gist, error, refetch } = useGist(id);
  const { data: me } = useMe();
  const [round, setRound] = useState(0);
  const name = gist === undefined ? id : titleOf(gist);
  usePageInfo([
    { label: GISTS.title, href: '/gists' },
    { label: name, href: gistHref(id) },
    { label: GIST.edit },
  ]);
  return (
    <main id="main" className="page" tabIndex={-1}>
      {gist === undefined || me === undefined ? (
        error === null ? (
          <Skeleton lines={10} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <>
          <PageHead title={GIST_FORM.editTitle(name)} />
          {me.username === loginOf(gist.owner) ? (
            <EditForm key={`${id} ${round}`} gist={gist} onReload={() => setRound(round + 1)} />
          ) : (
            <Banner tone="neutral">{GIST_FORM.notYours}</Banner>
          )}
        </>
      )}
    </main>
  );
}

function EditForm({ gist: present, onReload }: { gist: Gist; onReload: () => void }) {
  // What others save meanwhile does not move under the pointer.
  const [gist] = useState(present);
  const { id } = gist;
  const [, navigate] = useLocation();
  const { value, change, forget } = useDraft(`edit gist ${id} ${gist.updated_at}`, draftOf(gist));
  const call = changeCall(gist, value);
  useSayDraft(call);
  const save = useSaveGist();
  const leave = () => {
    forget();
    navigate(gistHref(id));
  };
  const isStale = present.updated_at !== gist.updated_at && !save.isPending && !save.isSuccess;
  return (
    <div className="stack stack--16">
      {isStale && (
        <Banner
          tone="warn"
          action={
            <Button
              size="sm"
              onClick={() => {
                forget();
                onReload();
              }}
            >
              {GIST_FORM.reload}
            </Button>
          }
        >
          {GIST_FORM.stale}
        </Banner>
      )}
      <GistForm
        draft={value}
        onChange={change}
        hasVisibility={false}
        action={GIST_FORM.save}
        disabledReason={call === undefined ? GIST_FORM.nothing : undefined}
        isBusy={save.isPending}
        error={save.error}
        onSubmit={() => call !== undefined && save.mutate(call, { onSuccess: leave })}
        onCancel={leave}
      />
    </div>
  );
}
