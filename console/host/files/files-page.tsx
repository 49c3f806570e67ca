// The files of a repository at a branch, a tag or a commit: a folder, or one file.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError } from '../../api/error.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button } from '../../ui/button.tsx';
import { useKeys } from '../../ui/keys.ts';
import { Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { blobHref, treeHref, type CodePlace } from '../place.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import { isSha, type Repository } from '../repository.ts';
import { usePlace } from '../use-place.ts';
import { About } from './about.tsx';
import { CloneButton } from './clone.tsx';
import type { Content } from './content.ts';
import { FileView } from './file-view.tsx';
import { Finder } from './finder.tsx';
import { readTip, useContent, useLongRef } from './files-queries.ts';
import { FILES_WORDS } from './files-words.ts';
import { FolderView } from './folder-view.tsx';
import { EmptyRepository, MissingView, SubmoduleView, SymlinkView } from './other-views.tsx';
import { PathCrumbs } from './path-crumbs.tsx';
import { RefPicker } from './ref-picker.tsx';
import '../../styles/files.css';

export default function FilesPage() {
  const place = usePlace();
  const { path } = place;
  const crumbs = path === '' ? [] : [{ label: path, copy: path }];
  return (
    <RepositoryFrame place={place} tab="code" crumbs={crumbs}>
      {(repository) => <Files place={place} repository={repository} />}
    </RepositoryFrame>
  );
}

function Files({ place, repository }: { place: CodePlace; repository: Repository }) {
  const { path } = place;
  const gitRef = place.ref ?? repository.default_branch;
  const { data, error, refetch } = useContent(place, gitRef, path);
  const isMissing = data === undefined && error?.status === 404;
  const { isLooking } = useLongRef(place, isMissing);
  const [isFinding, setFinding] = useState(false);
  const fix = usePermanentLink(place, gitRef, data?.type === 'dir');
  useKeys({ t: () => setFinding(true), y: fix });
  if (isMissing && place.ref === undefined)
    return <EmptyRepository place={place} repository={repository} onFilled={() => void refetch()} />;
  const hrefOf = (ref: string) =>
    place.kind === 'blob' ? blobHref(place, ref, path) : treeHref(place, ref, path);
  const isHome = path === '' && (data === undefined || data.type === 'dir');
  const content = (
    <div className="stack stack--16">
      <div className="row row--wrap">
        <RefPicker place={place} current={gitRef} defaultBranch={repository.default_branch} hrefOf={hrefOf} />
        {path !== '' && <PathCrumbs place={place} gitRef={gitRef} path={path} />}
        <span className="push" />
        {!isSha(gitRef) && (
          <Button tone="ghost" icon="link" keys="y" onClick={fix}>
            {FILES_WORDS.permanent}
          </Button>
        )}
        <Button icon="search" keys="t" onClick={() => setFinding(true)}>
          {FILES_WORDS.find}
        </Button>
        {isHome && <CloneButton repository={repository} />}
      </div>
      {data !== undefined ? (
        <ContentView place={place} gitRef={gitRef} path={path} content={data} />
      ) : error === null || isLooking ? (
        <Skeleton rows={10} />
      ) : isMissing && path !== '' ? (
        <MissingView place={place} gitRef={gitRef} path={path} />
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} />
      )}
    </div>
  );
  return (
    <>
      {isHome ? (
        <div className="cols cols--repo">
          {content}
          <About place={place} repository={repository} />
        </div>
      ) : (
        content
      )}
      {isFinding && <Finder place={place} gitRef={gitRef} onClose={() => setFinding(false)} />}
    </>
  );
}

interface ContentViewProps {
  place: CodePlace;
  gitRef: string;
  path: string;
  content: Content;
}

function ContentView({ place, gitRef, path, content }: ContentViewProps) {
  switch (content.type) {
    case 'dir':
      return <FolderView place={place} gitRef={gitRef} path={path} folder={content} />;
    case 'symlink':
      return <SymlinkView place={place} gitRef={gitRef} link={content} />;
    case 'submodule':
      return <SubmoduleView submodule={content} />;
    default:
      return <FileView key={content.path} place={place} gitRef={gitRef} file={content} />;
  }
}

/** Puts the commit into the address in place of the branch, so that it always shows the same. */
function usePermanentLink(place: CodePlace, gitRef: string, isFolder: boolean): () => void {
  const [, navigate] = useLocation();
  const { path } = place;
  return () => {
    if (isSha(gitRef)) return;
    void readTip(place, gitRef)
      .then((sha) => {
        if (sha === undefined) return;
        const href = isFolder ? treeHref(place, sha, path) : blobHref(place, sha, path);
        navigate(href + location.search + location.hash, { replace: true });
        toast({ text: FILES_WORDS.permanentDone });
      })
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        toast({ text: error.message, tone: 'bad' });
      });
  };
}
