// A new flag: the form, and after it the program that asks for the flag.
import '../../styles/new-flag.css';
import { useLocation, useParams } from 'wouter';
import { useMe } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { PageHead } from '../../ui/page.tsx';
import { NoPermission, Skeleton } from '../../ui/states.tsx';
import { FirstProject } from '../first-project.tsx';
import { useFlagPermissions } from '../permissions.ts';
import { useEnvironments } from '../queries.ts';
import { WORDS as FLAG_WORDS } from '../words.ts';
import { CreatedFlag } from './created-flag.tsx';
import { NewFlagForm } from './new-flag-form.tsx';
import { useFlagDefaults, useProject } from './new-flag-queries.ts';
import { NEW_FLAG_WORDS as WORDS } from './new-flag-words.ts';

export default function NewFlagPage() {
  const { project } = useParams<{ project?: string }>();
  return project === undefined ? (
    <FirstProject section="new-flag" title={WORDS.title} />
  ) : (
    <NewFlag project={project} />
  );
}

function NewFlag({ project }: { project: string }) {
  const page = `/new-flag/${encodeURIComponent(project)}`;
  const list = `/flags/${encodeURIComponent(project)}`;
  const search = useSearchState(page);
  const [, navigate] = useLocation();
  const { data: me } = useMe();
  const detail = useProject(project);
  const defaults = useFlagDefaults(project);
  const environments = useEnvironments(project);
  const { isKnown, may, resourceOf } = useFlagPermissions(project);
  const created = search.get('created');
  usePageInfo([
    { label: FLAG_WORDS.flags, href: '/flags' },
    { label: detail.data?.name ?? project, href: list },
    { label: WORDS.title },
  ]);
  const reads = [detail, defaults, environments];
  const error = reads.find((read) => read.data === undefined && read.error !== null)?.error;
  const isReady =
    me !== undefined &&
    detail.data !== undefined &&
    defaults.data !== undefined &&
    environments.data !== undefined;
  if (created !== undefined)
    return (
      <main id="main" className="page page--mid" tabIndex={-1}>
        <CreatedFlag
          key={created}
          project={project}
          flag={created}
          waiting={search.get('on')?.split(',') ?? []}
          form={page}
        />
      </main>
    );
  return (
    <main id="main" className="page page--mid" tabIndex={-1}>
      <PageHead title={WORDS.title} />
      {error !== undefined && error !== null ? (
        <ReadProblem error={error} onRetry={() => reads.forEach((read) => void read.refetch())} />
      ) : isKnown && !may('createFlag') ? (
        <NoPermission action="createFlag" resource={resourceOf('createFlag')} />
      ) : isReady ? (
        <NewFlagForm
          key={project}
          project={project}
          me={me}
          convention={detail.data.namingConvention}
          defaults={defaults.data}
          environments={environments.data.items}
          onCreated={(key, waiting) =>
            navigate(search.href({ created: key, on: waiting.join(',') }), { replace: true })
          }
          onCancel={() => navigate(list)}
        />
      ) : (
        <Skeleton rows={8} />
      )}
    </main>
  );
}
