"""Answer the requests of the bot's admins. Other people get a 404."""

from datetime import UTC, datetime

from attrs import define

from chat.operation import describe_latest_backup, list_people, make_operator_overview
from chat.services import Services
from dashboard.endpoints import JsonBody, PageRequest, RequestRefused
from dashboard.forms import serialize_fields
from dashboard.host import Host
from locales.catalog import tr
from records.owners import AccessStatus
from runtime import logs

MAX_PEOPLE = 1_000


@define(kw_only=True, eq=False)
class AdminHandlers:
    """Handlers of requests from admins."""

    _services: Services
    _host: Host

    async def get_overview(self, request: PageRequest) -> JsonBody:
        self._require_admin(request)
        operation, services = self._host.operation, self._services
        found = await make_operator_overview(services, operation)
        return {
            "memories": found.memories,
            "active_week": found.active,
            "waiting_updates": found.waiting,
            "failed_folds": found.failed,
            "bytes": found.size,
            "backup": describe_latest_backup(services.backups, UTC),
            "models": operation.model_names,
            "used_today": sum(found.used_by_person.values()),
            "budget": operation.settings.daily_token_budget,
            "everyone": operation.settings.everyone_allowed,
            "health": dict(await self._host.health()),
            "people": [
                {
                    **serialize_fields(person, "id", "name", "standing"),
                    "used_today": found.used_by_person.get(person.id, 0),
                }
                for person in list_people(services, operation)[:MAX_PEOPLE]
            ],
            "errors": [
                {"at": datetime.fromtimestamp(at, UTC).isoformat(), "where": where, "text": template}
                for at, where, template in reversed(logs.RECENT.lines)
            ],
        }

    async def set_access(self, status: AccessStatus, request: PageRequest) -> JsonBody:
        """Let a person in, refuse them or remove them. Return the new overview."""
        self._require_admin(request)
        person = request.parameters.read_integer("id")
        if status == "removed" and person in self._host.operation.admin_ids:
            raise RequestRefused(409, tr("admin-not-an-admin"))
        if person <= 0:
            raise RequestRefused(404, tr("admin-nobody"))
        await self._host.store_access(person, status, request.session.person)
        return await self.get_overview(request)

    def _require_admin(self, request: PageRequest) -> None:
        if not request.is_admin or request.is_group:
            raise RequestRefused(404, tr("web-none"))
