"""Swagger UI 5.35.0 (npm: swagger-ui-dist, Apache-2.0, see LICENSE.txt and NOTICE.txt), so that `/docs` is offline."""
