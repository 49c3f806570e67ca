// The project and the environment that a page is about, and the way to others. A critical environment paints a strip.
import '../../styles/switcher.css';
import { useLocation, useSearch } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';
import { EnvironmentDot, EnvironmentName } from '../environment-name.tsx';
import { lastColumns, lastProject, recentEnvironments, rememberEnvironment } from '../last-place.ts';
import { presentEnvironment } from '../present-environment.ts';
import { useEnvironments, useProjects, type Environment, type Project } from '../queries.ts';
import { PlacePicker } from './place-picker.tsx';
import { hrefInEnvironment, hrefInProject, readPlace } from './places.ts';
import { SWITCHER_WORDS as WORDS } from './switcher-words.ts';

export default function Switcher() {
  const [location, navigate] = useLocation();
  const query = useSearch();
  const place = readPlace(location, query);
  const { data: projects } = useProjects();
  const { data: environments } = useEnvironments(place.project);
  const project = projects?.items.find(({ key }) => key === place.project);
  const environment = place.hasEnvironment
    ? presentEnvironment(environments?.items, place.project, place.environment)
    : undefined;
  const last = lastProject();
  return (
    <>
      <span className="switcher" role="group" aria-label={WORDS.label}>
        <Popover
          trigger={
            <Button tone="ghost" size="sm" hasCaret>
              <span className="vh">{WORDS.project} </span>
              <span className="cut" dir="auto">
                {project?.name ?? place.project}
              </span>
            </Button>
          }
          label={WORDS.project}
        >
          {(close) => (
            <PlacePicker
              items={projects?.items ?? []}
              current={place.project}
              recent={last === undefined ? [] : [last]}
              words={{ find: WORDS.findProject, none: WORDS.noProject }}
              show={showProject}
              onChoose={(key) => {
                close();
                navigate(hrefInProject(place, key));
              }}
            />
          )}
        </Popover>
        {environment !== undefined && (
          <Popover
            trigger={
              <Button tone="ghost" size="sm" hasCaret>
                <EnvironmentDot color={environment.color} />
                <span className="vh">{WORDS.environment} </span>
                <span className="cut">{environment.key}</span>
                {environment.critical && <Icon name="shield" size={12} />}
              </Button>
            }
            label={WORDS.environment}
          >
            {(close) => (
              <PlacePicker
                items={environments?.items ?? []}
                current={environment.key}
                recent={recentEnvironments(place.project)}
                words={{ find: WORDS.findEnvironment, none: WORDS.noEnvironment }}
                show={showEnvironment}
                onChoose={(key) => {
                  close();
                  rememberEnvironment(place.project, key);
                  navigate(hrefInEnvironment(place, key, lastColumns(place.project)), { replace: true });
                }}
              />
            )}
          </Popover>
        )}
      </span>
      {environment?.critical === true && (
        <span className="strip" role="status" aria-label={WORDS.guarded(environment.key)}>
          <Icon name="shield" />
          <span className="cut">{environment.key}</span>
        </span>
      )}
    </>
  );
}

function showProject({ key, name }: Project) {
  return (
    <span className="row">
      <span className="cut" dir="auto">
        {name}
      </span>
      {name !== key && <span className="mono t12 muted cut">{key}</span>}
    </span>
  );
}

function showEnvironment(environment: Environment) {
  return <EnvironmentName environment={environment} />;
}
