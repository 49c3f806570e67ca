// A new gist. What is typed stays in this browser until it is created.
import { useLocation } from 'wouter';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { PageHead } from '../../ui/page.tsx';
import { gistHref } from './gist.ts';
import { createCall, NEW_GIST } from './gist-draft.ts';
import { GistForm } from './gist-form.tsx';
import { useSaveGist } from './gists-queries.ts';
import { GIST_FORM, GISTS } from './gists-words.ts';

export default function NewGistPage() {
  usePageInfo([{ label: GISTS.title, href: '/gists' }, { label: GIST_FORM.newTitle }]);
  const [, navigate] = useLocation();
  const { value, change, forget } = useDraft('new-gist', NEW_GIST);
  const call = createCall(value);
  useSayDraft(call);
  const save = useSaveGist();
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={GIST_FORM.newTitle} meta={GISTS.text} />
      <GistForm
        draft={value}
        onChange={change}
        hasVisibility
        action={GIST_FORM.create}
        isBusy={save.isPending}
        error={save.error}
        onSubmit={() =>
          save.mutate(call, {
            onSuccess: ({ id }) => {
              forget();
              navigate(gistHref(id));
            },
          })
        }
        onCancel={() => {
          forget();
          navigate('/gists');
        }}
      />
    </main>
  );
}
