"""What pages report of their readers, and the numbers that are made of it."""

from typing import Annotated, Literal

from pydantic import Field

from mapping.documents.base import Document
from mapping.documents.scalars import Bool, Count, LocalId, Text, ViewTime


class Beacon(Document):
    """What a page reports: a load, a click on load more, or for how long it was visible since its last report."""

    kind: Literal["load", "load_more", "retention"]
    liveblog: LocalId
    url: Annotated[str, Field(max_length=2048)] = ""
    ms: ViewTime = 0
    first: Bool = False


class VisitorMetrics(Document):
    """Numbers of readers; `samplesForUniques` and `samplesForRetention` are the loads and views that they rest on."""

    ticker_loads: Annotated[Count, Field(alias="tickerLoads")]
    total_uniques: Annotated[Count, Field(alias="totalUniques")]
    avg_retention_ms: Annotated[Count, Field(alias="avgRetentionMS")]
    samples_for_uniques: Annotated[Count, Field(alias="samplesForUniques")]
    samples_for_retention: Annotated[Count, Field(alias="samplesForRetention")]
    total_views: Annotated[Count, Field(alias="totalViews")]


class StatisticsOverview(Document):
    """The readers of a liveblog since its beginning."""

    visitor_metrics: Annotated[VisitorMetrics, Field(alias="visitorMetrics")]


class StatisticsPeriod(Document):
    """The readers of a period; `startTS` in Unix milliseconds."""

    id: Text
    start_ts: Annotated[Count, Field(alias="startTS")]
    visitor_metrics: Annotated[VisitorMetrics, Field(alias="visitorMetrics")]


class StatisticsPlace(Document):
    """The readers of an origin or of a page."""

    normalized_url: Annotated[Text, Field(alias="normalizedUrl")]
    visitor_metrics: Annotated[VisitorMetrics, Field(alias="visitorMetrics")]
