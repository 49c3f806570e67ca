// Projects, and the environments of one.
import '../../styles/environments.css';
import { useParams } from 'wouter';
import { ProjectEnvironments } from './project-environments.tsx';
import { ProjectList } from './project-list.tsx';

export default function EnvironmentsPage() {
  const { project } = useParams<{ project?: string }>();
  return project === undefined ? <ProjectList /> : <ProjectEnvironments key={project} project={project} />;
}
