"""What the admins of the bot see and decide, in private, on the same page: people, quotas, health, errors.

To everybody else it does not exist. Does not know how a person is told that they were let in.
"""

from datetime import UTC, datetime

from attrs import define

from chat.operation import overview, people_of
from chat.services import Services
from dashboard.host import Host
from dashboard.visits import Answer, Handler, Refused, Visit
from locales.catalog import tr
from records.owners import Standing
from runtime import logs

MOST_PEOPLE = 1_000


@define(kw_only=True, eq=False)
class Admin:
    """Handlers for admins."""

    _services: Services
    _host: Host

    async def shown(self, visit: Visit) -> Answer:
        self._demand_admin(visit)
        operation, services = self._host.operation, self._services
        found = await overview(services, operation)
        spent = await services.memory.usage.of(services.clock().date())
        used = {person: one.prompt + one.completion for person, one in spent.items()}
        return {
            "memories": found.memories,
            "active_week": found.active,
            "waiting_updates": found.waiting,
            "failed_folds": found.failed,
            "bytes": found.size,
            "models": list(operation.models),
            "used_today": found.used,
            "budget": operation.budget,
            "budget_per_person": operation.budget_per_person,
            "everyone": operation.everyone,
            "health": dict(await self._host.health()),
            "people": [
                {"id": one.id, "name": one.name, "standing": one.standing, "used_today": used.get(one.id, 0)}
                for one in people_of(services, operation)[:MOST_PEOPLE]
            ],
            "errors": [
                {"at": datetime.fromtimestamp(at, UTC).isoformat(), "where": where, "text": template}
                for at, where, template in reversed(logs.RECENT.lines)
            ],
        }

    def decision(self, standing: Standing) -> Handler:
        """The handler that gives a person this standing."""

        async def decided(visit: Visit) -> Answer:
            self._demand_admin(visit)
            number = visit.asked.integer("id")
            if standing == "removed" and number in self._host.operation.admin_ids:
                raise Refused(409, tr("admin-not-an-admin"))
            if number <= 0:
                raise Refused(404, tr("admin-nobody"))
            await self._host.decide(number, standing, visit.session.person)
            return await self.shown(visit)

        return decided

    def _demand_admin(self, visit: Visit) -> None:
        if not visit.is_admin or visit.is_group:
            raise Refused(404, tr("web-none"))
